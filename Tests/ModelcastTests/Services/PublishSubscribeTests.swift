import Dispatch
import Foundation
import ModelCache
import ModelRecord
import Modelcast
import TestSupport
import Testing

/// One publisher and one subscriber, with real sockets between them.
@Suite(.timeLimit(.minutes(15))) struct PublishSubscribeTests {
    @Test func `what is published arrives field by field`() async throws {
        try await withPair { publisher, subscriber in
            try publisher.merge("User", "1", ["name": "Ada", "age": 36])
            try publisher.merge("User", "1", ["age": 37])
            #expect(await eventually { subscriber["User", "1"]?["age"] == 37 })
            #expect(subscriber["User", "1"]?["name"] == "Ada")
            #expect(await becomeEqual(publisher, subscriber))
        }
    }

    @Test func `a late subscriber gets what was published before it came`() async throws {
        let publisher = try Publisher(
            PublisherConfiguration(name: "p", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: silent)
        for id in 0..<2_000 { try publisher.merge("User", "\(id)", ["age": .int(Int64(id))]) }
        try await running(publisher) { endpoints in
            try await subscribing(to: [endpoints.control]) { subscriber in
                try await subscriber.waitUntilLive()
                #expect(subscriber.cache.count(of: "User") == 2_000)
                #expect(subscriber.cache.digest(of: "User") == publisher.cache.digest(of: "User"))
            }
        }
    }

    @Test func `writers who send by themselves never overtake the socket thread, nor it them`() async throws {
        try await withPair { publisher, subscriber in
            // Bursts of all lengths, with and without a pause between them: batches leave from five threads.
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        var numbers = SeededGenerator(seed: UInt64(writer))
                        for round in 0..<400 {
                            for step in 0..<Int.random(in: 1...20, using: &numbers) {
                                let fields: Fields = ["n": .int(Int64(round * 100 + step))]
                                _ = try? publisher.merge("User", "\(writer)-\(step)", fields)
                            }
                            // Lets other threads in, so that the next write often finds that nothing is under way.
                            for _ in 0..<Int.random(in: 0...30, using: &numbers) { await Task.yield() }
                        }
                    }
                }
            }
            #expect(await becomeEqual(publisher, subscriber))
            // The status is a quarter of a second old at most.
            #expect(await eventually { subscriber.status.counters[.appliedUpdates] >= 80 })
            #expect(subscriber.status.counters[.holesFound] == 0)
        }
    }

    @Test func `a handler without a queue is told on the subscriber's own thread`() async throws {
        try await withPair { publisher, subscriber in
            let told = Guarded<[Int64]>([])
            let threads = Guarded<Set<ObjectIdentifier>>([])
            let observation = subscriber.observe(
                .model(type: "User", id: "1"),
                inline: { changes in
                    let thread = ObjectIdentifier(Thread.current)
                    threads.withLock { _ = $0.insert(thread) }
                    told.withLock { $0 += changes.compactMap { $0.new?["age"]?.intValue } }
                })
            for age in 1...50 { try publisher.merge("User", "1", ["age": .int(Int64(age))]) }
            #expect(await eventually { told.withLock { $0.last } == 50 })
            #expect(told.withLock { $0 == $0.sorted() })
            #expect(threads.withLock { $0.count } == 1)
            observation.cancel()
        }
    }

    @Test func `ipc works like tcp`() async throws {
        let folder = try TemporaryDirectory()
        try await withPair(endpoint: "ipc://\(folder.path("control"))") { publisher, subscriber in
            try publisher.merge("User", "1", ["age": 1])
            #expect(await eventually { subscriber["User", "1"]?["age"] == 1 })
        }
    }

    @Test func `a delete is told to observers as the end of the model`() async throws {
        try await withPair { publisher, subscriber in
            try publisher.merge("User", "1", ["age": 1])
            #expect(await eventually { subscriber["User", "1"] != nil })
            let ends = Guarded(0)
            let observation = subscriber.observe(.model(type: "User", id: "1"), on: DispatchQueue(label: "test")) {
                changes in
                for change in changes where change.new == nil && change.old?["age"] == 1 {
                    ends.withLock { $0 += 1 }
                }
            }
            try publisher.delete("User", "1")
            #expect(await eventually { ends.withLock { $0 } == 1 })
            observation.cancel()
        }
    }

    @Test func `a subscriber of one type gets no other`() async throws {
        try await withPair(selection: .types(["User"])) { publisher, subscriber in
            try publisher.merge("UserCard", "1", ["a": 1])
            try publisher.merge("User", "1", ["a": 1])
            #expect(await eventually { subscriber["User", "1"] != nil })
            #expect(subscriber.cache.count(of: "UserCard") == 0)
        }
    }

    @Test func `a transaction over two types is never seen in half`() async throws {
        try await withPair { publisher, subscriber in
            let halves = Guarded(0)
            let last = Guarded<Int64>(0)
            let observation = subscriber.observe(.everything, on: DispatchQueue(label: "test")) { _ in
                let snapshot = subscriber.snapshot()
                let (debit, credit) = (snapshot["Debit", "1"]?["n"], snapshot["Credit", "1"]?["n"])
                if debit != credit { halves.withLock { $0 += 1 } }
                last.withLock { $0 = debit?.intValue ?? 0 }
            }
            for value in 1...500 as ClosedRange<Int64> {
                try publisher.transaction { writes in
                    try writes.merge("Debit", "1", ["n": .int(value)])
                    try writes.merge("Credit", "1", ["n": .int(value)])
                }
            }
            #expect(await eventually { last.withLock { $0 } == 500 })
            #expect(halves.withLock { $0 } == 0)
            observation.cancel()
        }
    }

    @Test func `two publishers of one model both win in their fields`() async throws {
        func publisher(_ name: String) throws -> Publisher {
            try Publisher(
                PublisherConfiguration(name: name, endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*")),
                logger: silent)
        }
        let (first, second) = (try publisher("first"), try publisher("second"))
        try await running(first) { one in
            try await running(second) { two in
                try await subscribing(to: [one.control, two.control]) { subscriber in
                    try await subscriber.waitUntilLive()
                    for value in 0..<100 as Range<Int64> {
                        try first.merge("User", "1", ["a": .int(value)])
                        try second.merge("User", "1", ["b": .int(value)])
                    }
                    #expect(
                        await eventually {
                            subscriber["User", "1"]?["a"] == 99 && subscriber["User", "1"]?["b"] == 99
                        })
                    #expect(subscriber.status.senders.map(\.name) == ["first", "second"])
                }
            }
        }
    }

    @Test func `a hundred thousand updates from four threads arrive and nothing differs`() async throws {
        try await withPair { publisher, subscriber in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        for number in 0..<25_000 {
                            let id = "\((number &* 7919 &+ thread) % 5_000)"
                            let fields: Fields = ["n": .int(Int64(number)), "thread": .int(Int64(thread))]
                            try await publisher.waitingForRoom { try publisher.merge("User", id, fields) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(await becomeEqual(publisher, subscriber))
            #expect(subscriber.cache.count(of: "User") == 5_000)
        }
    }

    @Test func `a publisher that starts anew is found again and its new models arrive`() async throws {
        let folder = try TemporaryDirectory()
        let endpoints = try SenderEndpoints(control: "ipc://\(folder.path("control"))")
        @Sendable func publisher() throws -> Publisher {
            var configuration = PublisherConfiguration(name: "p", endpoints: endpoints)
            configuration.heartbeatInterval = .milliseconds(50)
            return try Publisher(configuration, logger: silent)
        }
        let first = try publisher()
        try await subscribing(to: [endpoints.control]) { subscriber in
            try await running(first) { _ in
                try first.merge("User", "old", ["age": 1])
                #expect(await eventually { subscriber["User", "old"] != nil })
            }
            #expect(await eventually { !subscriber.status.isLive })
            let second = try publisher()
            try await running(second) { _ in
                try second.merge("User", "new", ["age": 2])
                #expect(await eventually { subscriber["User", "new"] != nil })
                #expect(subscriber["User", "old"] != nil)
            }
        }
    }

    @Test func `the publisher learns that everything has been applied`() async throws {
        try await withPair { publisher, _ in
            try publisher.merge("User", "1", ["age": 1])
            #expect(await eventually { publisher.audience.liveCount == 1 })
            #expect(await eventually { publisher.audience.upToDateCount == 1 })
        }
    }

    @Test func `a batch of writes does what the single writes would`() async throws {
        try await withPair { publisher, subscriber in
            let outcome = try publisher.batch { writes in
                for id in 0..<1_000 { try writes.merge("User", "\(id)", ["n": .int(Int64(id))]) }
                try writes.merge("User", "7", ["n": 7])
                try writes.delete("User", "8")
            }
            #expect(outcome.published == 1_001)
            #expect(outcome.unchanged == 1)
            #expect(publisher.cache.count(of: "User") == 999)
            #expect(await becomeEqual(publisher, subscriber))
        }
    }

    @Test func `a batch with one bad write publishes nothing`() throws {
        let publisher = try Publisher(
            PublisherConfiguration(name: "p", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: silent)
        #expect(throws: ModelcastError.self) {
            try publisher.batch { writes in
                try writes.merge("User", "1", ["n": 1])
                try writes.merge("9User", "1", ["n": 1])
            }
        }
        #expect(publisher.cache.count(of: "User") == 0)
    }
}
