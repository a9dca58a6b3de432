import Modelcast
import Synchronization
import TestSupport
import Testing

/// The ids that an observer was told.
private final class ToldIDs: Sendable {
    private let ids = Mutex<[String]>([])
    var all: [String] { ids.withLock { $0 } }
    func append(_ more: [String]) { ids.withLock { $0 += more } }
}

/// Subscribers whose copies have limits, over sockets.
@Suite(.timeLimit(.minutes(5))) struct BoundedCopyTests {
    private static let ten = CacheLimits(types: ["User": ModelLimits(count: 10)])

    @Test func `a subscriber with a limit keeps so many models, and fetches the others whole`() async throws {
        try await withPair(modelLimits: BoundedCopyTests.ten) { publisher, subscriber in
            for number in 0..<500 {
                try publisher.merge("User", "\(number)", ["name": .text("n\(number)"), "age": .int(Int64(number))])
                try publisher.merge("Order", "\(number)", ["a": 1])
            }
            let hasAll = await eventually {
                subscriber.cache.count(of: "User") == 10 && subscriber.cache.count(of: "Order") == 500
                    && subscriber.cache.evictedCount(of: "User") == 490
            }
            #expect(hasAll)
            // What is written to models that have left is in them when they come back.
            for number in 0..<500 { try publisher.merge("User", "\(number)", ["age": .int(Int64(number + 1))]) }
            let isApplied = await eventually {
                subscriber.status.streams.contains { $0.topic.type == "User" && $0.missing == 0 && $0.applied > 1 }
            }
            #expect(isApplied)
            for number in [0, 250, 499] {
                let record = try #require(try await subscriber.fetch("User", "\(number)"))
                let hasAge = await eventually {
                    subscriber["User", "\(number)"].map { $0["age"] == .int(Int64(number + 1)) } ?? true
                }
                #expect(record["name"] == .text("n\(number)") && hasAge)
            }
            let several = try await subscriber.fetch("User", (0..<100).map(String.init))
            #expect(several.count == 100)
            #expect(try await subscriber.fetch("User", "nobody") == nil)
            #expect(subscriber.presence(of: "User", "nobody") == .absent)
            #expect(subscriber.presence(of: "Order", "1") == .here)
            #expect(subscriber.cache.count(of: "User") <= 10)
            let isCounted = await eventually {
                let counters = subscriber.status.counters
                return counters[.modelsEvicted] >= 490 && counters[.modelsFetched] >= 90
            }
            #expect(isCounted)
        }
    }

    @Test func `what is fetched counts as hits and misses`() async throws {
        try await withPair(modelLimits: BoundedCopyTests.ten) { publisher, subscriber in
            subscriber.pin("User", "0")
            for number in 0..<200 { try publisher.merge("User", "\(number)", ["age": 1]) }
            #expect(await eventually { subscriber.cache.evictedCount(of: "User") == 190 })
            #expect(subscriber.status.fetches.misses == 0 && subscriber.status.fetches.hitRate == nil)
            for _ in 0..<3 { _ = try await subscriber.fetch("User", "0") }
            let gone = try #require(
                (1..<200).map(String.init).first { subscriber.presence(of: "User", $0) == .evicted })
            _ = try await subscriber.fetch("User", ["0", gone, "nobody"])
            let counts = subscriber.status.fetches
            #expect(counts.hits == 4 && counts.misses == 2 && counts.hitRate == 4.0 / 6)
            // Reads are no fetches.
            _ = subscriber["User", "0"]
            #expect(subscriber.status.fetches == counts)
        }
    }

    @Test func `a comparison with a sender says what is here and equal, and how much has left`() async throws {
        try await withPair(modelLimits: BoundedCopyTests.ten) { publisher, subscriber in
            for number in 0..<200 { try publisher.merge("User", "\(number)", ["age": .int(Int64(number))]) }
            #expect(await eventually { subscriber.cache.evictedCount(of: "User") == 190 })
            let found = try await subscriber.verify(againstSenderAt: 0)
            guard case .equalWhereHeld(models: 10, evicted: 190)? = found.first?.verdict else {
                Issue.record("\(found)")
                return
            }
            #expect(found.first?.isEqual ?? false)
        }
    }

    @Test func `a pinned model stays, whatever else comes`() async throws {
        try await withPair(modelLimits: BoundedCopyTests.ten) { publisher, subscriber in
            subscriber.pin("User", "0")
            for number in 0..<500 { try publisher.merge("User", "\(number)", ["a": .int(Int64(number))]) }
            #expect(await eventually { subscriber.cache.evictedCount(of: "User") == 490 })
            #expect(subscriber.presence(of: "User", "0") == .here)
        }
    }

    @Test func `a subscriber that takes nothing by itself holds what was fetched, and is told of its changes`()
        async throws
    {
        try await withPair(prefetch: .none) { publisher, subscriber in
            for number in 0..<500 { try publisher.merge("User", "\(number)", ["a": .int(Int64(number))]) }
            #expect(await eventually { subscriber.status.streams.contains { $0.applied > 0 && $0.missing == 0 } })
            #expect(subscriber.cache.count(of: "User") == 0 && subscriber.presence(of: "User", "7") == .evicted)
            let told = ToldIDs()
            let observation = subscriber.observe(.type("User"), inline: { changes in told.append(changes.map(\.id)) })
            #expect(try await subscriber.fetch("User", "7")?["a"] == 7)
            #expect(subscriber.presence(of: "User", "7") == .here)
            // What is written from now on is in what is held, and nowhere else.
            for number in 0..<500 { try publisher.merge("User", "\(number)", ["b": 1]) }
            #expect(await eventually { subscriber["User", "7"]?["b"] == 1 })
            #expect(subscriber.cache.count(of: "User") == 1)
            #expect(told.all == ["7", "7"])
            // A model that is written after the start, and one that nobody has.
            try publisher.merge("User", "late", ["a": 1])
            #expect(try await subscriber.fetch("User", "late")?["a"] == 1)
            #expect(try await subscriber.fetch("User", "nobody") == nil)
            #expect(try await subscriber.fetch("Unheard", "1") == nil)
            // One that is deleted while nobody holds it, and while it is held.
            try publisher.delete("User", "9")
            try publisher.delete("User", "7")
            #expect(await eventually { subscriber.presence(of: "User", "7") == .absent })
            #expect(try await subscriber.fetch("User", "9") == nil)
            #expect(subscriber.presence(of: "User", "9") == .absent)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a subscriber to the ids lists all models, and fetches single ones`() async throws {
        try await withPair(prefetch: .ids) { publisher, subscriber in
            for number in 0..<500 { try publisher.merge("User", "\(number)", ["a": .int(Int64(number))]) }
            #expect(await eventually { subscriber.ids(of: "User").count == 500 })
            #expect(subscriber.cache.count(of: "User") == 0 && subscriber.cache.evictedCount(of: "User") == 500)
            #expect(subscriber.presence(of: "User", "7") == .evicted)
            #expect(subscriber.presence(of: "User", "nobody") == .absent)
            #expect(try await subscriber.fetch("User", "7")?["a"] == 7)
            #expect(subscriber.ids(of: "User").count == 500 && subscriber.cache.evictedCount(of: "User") == 499)
            for number in 0..<100 { try publisher.delete("User", "\(number)") }
            #expect(await eventually { subscriber.ids(of: "User").count == 400 })
            #expect(subscriber.presence(of: "User", "7") == .absent && subscriber.cache.count(of: "User") == 0)
        }
    }

    @Test func `a lazy copy finds its sender again after a restart, and what it held is as it is there`() async throws {
        let folder = try TemporaryDirectory()
        @Sendable func publisher() throws -> Publisher {
            var configuration = PublisherConfiguration(
                name: "p", endpoints: try SenderEndpoints(control: "ipc://\(folder.path("p"))"))
            configuration.store = folder.path("store")
            return try Publisher(configuration, logger: silent)
        }
        var configuration = SubscriberConfiguration(name: "s", publishers: ["ipc://\(folder.path("p"))"])
        configuration.prefetch = .none
        let subscriber = try Subscriber(configuration, logger: silent)
        try await during(subscriber) { subscriber in
            try await during(try publisher()) { publisher in
                for id in ["held", "pinned"] { try publisher.merge("User", id, ["a": 1]) }
                subscriber.pin("User", "pinned")
                #expect(try await subscriber.fetch("User", ["held", "pinned"]).count == 2)
            }
            try await during(try publisher()) { publisher in
                for id in ["held", "pinned"] { try publisher.merge("User", id, ["a": 2]) }
                #expect(await eventually { subscriber["User", "pinned"]?["a"] == 2 })
                #expect(
                    await eventually {
                        subscriber["User", "held"].map { $0["a"] == 2 } ?? true
                    })
                #expect(try await subscriber.fetch("User", "held")?["a"] == 2)
            }
        }
    }

    @Test func `a store beside a copy that takes nothing by itself is refused`() throws {
        var configuration = SubscriberConfiguration(name: "s", publishers: ["tcp://127.0.0.1:1"])
        configuration.store = "/tmp/s"
        for prefetch in [SubscriberConfiguration.Prefetch.none, .ids] {
            configuration.prefetch = prefetch
            let error = #expect(throws: ModelcastError.self) { _ = try Subscriber(configuration, logger: silent) }
            #expect(error?.message.contains("leave one of them out") ?? false)
        }
    }

    @Test func `a fetch that nobody answers ends in time, with whom it asked`() async throws {
        let folder = try TemporaryDirectory()
        var configuration = SubscriberConfiguration(name: "s", publishers: ["ipc://\(folder.path("nobody"))"])
        configuration.modelLimits = BoundedCopyTests.ten
        let subscriber = try Subscriber(configuration, logger: silent)
        try await during(subscriber) { subscriber in
            let error = await #expect(throws: ModelcastError.self) {
                _ = try await subscriber.fetch("User", "1", timeout: .milliseconds(100))
            }
            #expect(error?.code == .timeout)
            #expect(error?.message.contains("a model of User was not brought back") ?? false)
            #expect(error?.message.contains("Asked: ipc://\(folder.path("nobody")) (connecting)") ?? false)
        }
        let error = await #expect(throws: ModelcastError.self) { _ = try await subscriber.fetch("User", "1") }
        #expect(error?.code == .stopped)
    }

    @Test func `limits that cannot be kept are refused with what is wrong`() throws {
        var configuration = SubscriberConfiguration(name: "s", publishers: ["tcp://127.0.0.1:1"])
        configuration.modelLimits = CacheLimits(types: ["User": ModelLimits()])
        let error = #expect(throws: ModelcastError.self) { _ = try Subscriber(configuration, logger: silent) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("User has no limit at all") ?? false)
        configuration.modelLimits = CacheLimits(all: ModelLimits(count: 1))
        configuration.store = "/nowhere/s.db"
        let other = #expect(throws: ModelcastError.self) { _ = try Subscriber(configuration, logger: silent) }
        #expect(other?.message.contains("name the types, or leave the store out") ?? false)
    }

    @Test func `a store keeps no type that has limits, and goes on without them later`() async throws {
        let folder = try TemporaryDirectory()
        let store = folder.path("s.db")
        var publishing = PublisherConfiguration(
            name: "publisher", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        publishing.heartbeatInterval = .milliseconds(50)
        let publisher = try Publisher(publishing, logger: silent)
        try await running(publisher) { endpoints in
            for number in 0..<100 {
                try publisher.merge("User", "\(number)", ["a": 1])
                try publisher.merge("Order", "\(number)", ["a": 1])
            }
            // Whole, then with limits, then whole again: the last must hold what was written meanwhile.
            for (round, limits) in [CacheLimits(), BoundedCopyTests.ten, CacheLimits()].enumerated() {
                for number in 0..<100 { try publisher.merge("User", "\(number)", ["b": .int(Int64(round))]) }
                var configuration = SubscriberConfiguration(name: "s", publishers: [endpoints.control])
                configuration.store = store
                configuration.modelLimits = limits
                let subscriber = try Subscriber(configuration, logger: silent)
                #expect(subscriber.cache.count(of: "Order") == (round == 0 ? 0 : 100))
                #expect(subscriber.cache.count(of: "User") == 0)
                try await during(subscriber) { subscriber in
                    try await subscriber.waitUntilLive()
                    let isHere = await eventually {
                        limits.isEmpty
                            ? subscriber.cache.digest(of: "User") == publisher.cache.digest(of: "User")
                            : subscriber.cache.count(of: "User") <= 10
                    }
                    #expect(isHere)
                }
            }
        }
    }
}
