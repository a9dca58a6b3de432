import Foundation
import ModelRecord
import ModelStore
import ModelSync
import TestSupport
import Testing

@testable import Modelcast

/// Publishers with a store.
@Suite(.timeLimit(.minutes(15))) struct DurabilityTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.path("p.store") }

    init() throws { folder = try TemporaryDirectory() }

    @Test func `deletes whose time is over leave the publisher, and its file`() async throws {
        var configuration = PublisherConfiguration(
            name: "p", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.store = folder.path("p.store")
        configuration.storeWriting = .quick
        configuration.heartbeatInterval = .milliseconds(50)
        let keeping = try Publisher(configuration, logger: silent)
        try keeping.merge("User", "kept", ["age": 1])
        try keeping.merge("User", "gone", ["age": 1])
        try await during(keeping) { publisher in
            try publisher.delete("User", "gone")
            #expect(await eventually { publisher.status.counters[.publishedBatches] > 0 })
        }
        #expect(try recordCount() == 2)
        configuration.tombstoneRetention = .milliseconds(1)
        try await during(Publisher(configuration, logger: silent)) { publisher in
            #expect(await eventually { publisher.status.counters[.tombstonesDropped] == 1 })
        }
        #expect(try recordCount() == 1)
    }

    /// How many models and deletes are in the file.
    private func recordCount() throws -> Int? {
        let store = try Store.open(path: folder.path("p.store"))
        defer { try? store.close() }
        return try store.recordCounts()["User"]
    }

    @Test func `a publisher that starts again has its models, and deletes of them reach subscribers`() async throws {
        let first = try makePublisher(path)
        for id in 0..<500 { try first.merge("User", "\(id)", ["n": .int(Int64(id))]) }
        try first.delete("User", "7")
        let incarnation = first.core.withLock { $0.origin.incarnation }
        _ = try await during(first) { try await $0.boundEndpoints }

        let second = try makePublisher(path)
        #expect(second.cache.count(of: "User") == 499)
        #expect(second.cache.digest(of: "User") == first.cache.digest(of: "User"))
        #expect(second.core.withLock { $0.origin.incarnation } > incarnation)
        #expect(try second.merge("User", "1", ["n": 1]) == .unchanged)
        try await running(second) { endpoints in
            try await subscribing(to: [endpoints.control]) { subscriber in
                try await subscriber.waitUntilLive()
                #expect(subscriber.cache.count(of: "User") == 499)
                try second.delete("User", "8")
                #expect(await eventually { subscriber["User", "8"] == nil })
                #expect(await becomeEqual(second, subscriber))
            }
        }
    }

    @Test func `a start from a large store has every model of every type`() async throws {
        let first = try makePublisher(path)
        let types = ["User", "Team", "Order"]
        for id in 0..<30_000 { try first.merge(types[id % 3], "\(id)", ["n": .int(Int64(id))]) }
        _ = try await during(first) { try await $0.boundEndpoints }
        let second = try makePublisher(path)
        for type in types {
            #expect(second.cache.count(of: type) == 10_000)
            #expect(second.cache.bucketDigests(of: type) == first.cache.bucketDigests(of: type))
        }
    }

    @Test func `a subscriber that stays learns what a publisher deletes after its restart`() async throws {
        let control = "ipc://\(folder.path("control"))"
        let first = try makePublisher(path, control: control)
        try first.merge("User", "kept", ["n": 1])
        try first.merge("User", "gone", ["n": 1])
        try await subscribing(to: [control]) { subscriber in
            _ = try await running(first) { _ in
                #expect(await eventually { subscriber.cache.count(of: "User") == 2 })
            }
            let second = try makePublisher(self.path, control: control)
            try second.delete("User", "gone")
            try await running(second) { _ in
                #expect(await eventually { subscriber["User", "gone"] == nil })
                #expect(await becomeEqual(second, subscriber))
                #expect(subscriber["User", "kept"]?["n"] == 1)
            }
        }
    }

    @Test func `what a subscriber was sent is on disk, whatever happens after`() async throws {
        let publisher = try makePublisher(path, durability: .beforeSend, writing: .never)
        let (path, folder) = (path, folder)
        try await running(publisher) { endpoints in
            try await subscribing(to: [endpoints.control]) { subscriber in
                try await subscriber.waitUntilLive()
                for id in 0..<200 { try publisher.merge("User", "\(id)", ["n": .int(Int64(id))]) }
                try publisher.transaction { writes in
                    try writes.merge("User", "1", ["n": -1])
                    try writes.merge("Order", "1", ["n": -1])
                }
                #expect(await eventually { subscriber["Order", "1"] != nil })
                #expect(await eventually { subscriber.cache.count(of: "User") == 200 })
                let survivor = try makePublisher(folder.crash("p.store", as: "copy"), durability: .beforeSend)
                #expect(survivor.cache.digest(of: "User") == publisher.cache.digest(of: "User"))
                #expect(survivor.cache.digest(of: "Order") == publisher.cache.digest(of: "Order"))
                let stamps = (
                    publisher.core.withLock { $0.origin.lastStamp },
                    survivor.core.withLock { $0.origin.incarnation }
                )
                #expect(stamps.0 > 0 && survivor.cache["User", "1"]?["n"] == -1)
                #expect(stamps.1 > publisher.core.withLock { $0.origin.incarnation })
            }
        }
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `what was sent after a clock was put right survives, with nothing that lay ahead in its place`()
        async throws
    {
        for isFlushed in [true, false] {
            let name = "\(isFlushed).store"
            let publisher = try makePublisher(folder.path(name), durability: .beforeSend, writing: .never)
            let folder = folder
            try await running(publisher) { endpoints in
                var ahead = Clocks.now()
                ahead.wallMilliseconds += 90_000_000
                try publisher.core.withLock { core in
                    for id in ["x", "y"] {
                        let fields = try EncodedFields(["n": 1])
                        _ = try core.origin.write(.merge, type: "User", id: id, fields: fields, now: ahead)
                    }
                }
                try publisher.merge("User", "z", ["n": 1])
                let store = try #require(publisher.store)
                #expect(try await eventually { try store.ringByteCount() > 0 })
                if isFlushed { try await publisher.waitUntilDurable() }
                let hasBegun = publisher.core.withLock { $0.origin.startAnewIfRefused(now: Clocks.now()) }
                #expect(hasBegun)
                try publisher.merge("User", "x", ["n": 2])
                try publisher.delete("User", "y")
                try await subscribing(to: [endpoints.control]) { subscriber in
                    #expect(await eventually { subscriber["User", "x"]?["n"] == 2 })
                    #expect(await becomeEqual(publisher, subscriber))
                    let copy = try folder.crash(name, as: "copy-\(name)")
                    let survivor = try makePublisher(copy, durability: .beforeSend)
                    #expect(survivor.cache["User", "x"]?["n"] == 2)
                    #expect(survivor.cache["User", "y"] == nil)
                    #expect(survivor.cache.digest(of: "User") == publisher.cache.digest(of: "User"))
                    let lead = survivor.core.withLock { $0.origin.clockLead(now: Clocks.now()) }
                    #expect(lead < .seconds(60))
                }
            }
        }
    }

    @Test func `stored batches go once their records are in the file`() async throws {
        let publisher = try makePublisher(path, durability: .beforeSend)
        try await running(publisher) { _ in
            for id in 0..<50 { try publisher.merge("User", "\(id)", ["n": 1]) }
            try await publisher.waitUntilDurable()
            let store = try #require(publisher.store)
            let isEmpty = try await eventually {
                try publisher.storeStatus?.commits ?? 0 > 0 && store.ringByteCount() == 0
            }
            #expect(isEmpty)
        }
        #expect(try makePublisher(path).cache.count(of: "User") == 50)
    }

    @Test func `what was awaited as durable survives`() async throws {
        let publisher = try makePublisher(path, durability: .beforeAcknowledge, writing: .never)
        let folder = folder
        try await running(publisher) { _ in
            for id in 0..<300 { try publisher.merge("User", "\(id)", ["n": .int(Int64(id))]) }
            try await publisher.waitUntilDurable()
            let survivor = try makePublisher(folder.crash("p.store", as: "copy"))
            #expect(survivor.cache.digest(of: "User") == publisher.cache.digest(of: "User"))
        }
    }

    @Test func `a hot model costs one row per flush`() async throws {
        let publisher = try makePublisher(path, writing: .never)
        for step in 1...5_000 { try publisher.merge("User", "hot", ["n": .int(Int64(step))]) }
        try await publisher.waitUntilDurable()
        let status = try #require(publisher.storeStatus)
        #expect(status.rowsWritten == 1)
        #expect(status.noted == 5_000)
        #expect(status.conflated == 4_999)
    }

    @Test func `while the disk is full writes are refused, the rest goes on, and it recovers by itself`() async throws {
        let publisher = try makePublisher(path, durability: .beforeSend)
        try await running(publisher) { endpoints in
            try await subscribing(to: [endpoints.control]) { subscriber in
                try await subscriber.waitUntilLive()
                try await self.fillDisk(publisher, subscriber)
                let client = try ControlClient(endpoint: endpoints.control)
                #expect(try await client.fetch("User", ["before"]).count == 1)
                try await self.emptyDisk(publisher, subscriber)
            }
        }
        #expect(try makePublisher(path).cache.digest(of: "User") == publisher.cache.digest(of: "User"))
    }

    private func fillDisk(_ publisher: Publisher, _ subscriber: Subscriber) async throws {
        try publisher.merge("User", "before", ["n": 1])
        #expect(await eventually { subscriber["User", "before"] != nil })
        try publisher.store?.limitPages(more: 4)
        let large: Fields = ["f": .bytes(.init(repeating: 7, count: 3_000))]
        var failure: ModelcastError?
        for id in 0..<1_000_000 where failure == nil {
            do { try publisher.merge("User", "\(id)", large) } catch { failure = error }
            await Task.yield()
        }
        #expect(failure?.code == .store)
        #expect(failure?.message.contains("disk full") == true)
        #expect(publisher.storeStatus?.health != .good)
        // Reads go on.
        #expect(publisher.cache["User", "before"]?["n"] == 1)
        do {
            try await publisher.waitUntilDurable()
            Issue.record("a full disk has taken everything")
        } catch let error as ModelcastError {
            #expect(error.code == .store)
        }
    }

    private func emptyDisk(_ publisher: Publisher, _ subscriber: Subscriber) async throws {
        try publisher.store?.limitPages(more: 1_000_000)
        #expect(await eventually { errorCode { try publisher.merge("User", "after", ["n": 1]) } == nil })
        #expect(await eventually { subscriber["User", "after"] != nil })
        #expect(await becomeEqual(publisher, subscriber))
        #expect(await eventually { publisher.storeStatus?.health == .good })
        try await publisher.waitUntilDurable()
    }

    @Test func `a file that is damaged is set aside, and the publisher begins with nothing`() async throws {
        try Store.open(path: path).close()
        try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: path))
        let publisher = try makePublisher(path)
        #expect(publisher.cache.types.isEmpty)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.contains { $0.hasPrefix("p.store.corrupt-") })
        try publisher.merge("User", "1", ["n": 1])
        try await publisher.waitUntilDurable()
    }

    @Test func `what a damaged file gave is older than what is written next`() async throws {
        _ = try await during(makePublisher(path)) { try await $0.boundEndpoints }
        // The clock was an hour ahead once.
        let ahead = (Clocks.now().wallMilliseconds + 3_600_000) << 16
        let store = try Store.open(path: path)
        var changes = StoreChanges()
        changes.origins = try store.origins().map {
            StoredOrigin(name: $0.name, incarnation: ahead, stamp: ahead)
        }
        #expect(changes.origins.count == 1)
        try store.write(changes, durably: true)
        try store.close()
        let large = Value.bytes(.init(repeating: 7, count: 2_000))
        _ = try await during(makePublisher(path)) { publisher in
            for id in 0..<500 { try publisher.merge("User", "\(id)", ["f": large]) }
            try await publisher.waitUntilDurable()
        }
        try damage(path)

        let publisher = try makePublisher(path)
        let kept = publisher.cache.snapshot().records(of: "User").map(\.id)
        #expect(!kept.isEmpty && kept.count < 500)
        for id in kept {
            #expect(try publisher.merge("User", id, ["f": 1]) != .unchanged)
            #expect(publisher.cache["User", id]?["f"] == 1)
        }
    }

    @Test func `a store that cannot be used says what to do`() throws {
        let first = try makePublisher(path)
        let error = #expect(throws: ModelcastError.self) { try makePublisher(path) }
        #expect(error?.code == .store)
        #expect(error?.message.contains("in use") == true)
        let missing = #expect(throws: ModelcastError.self) { try makePublisher(folder.path("none/p.store")) }
        #expect(missing?.message.contains("Make the directory") == true)
        #expect(first.storeStatus?.health == .good)
    }

    @Test func `a store of something else is left as it is`() async throws {
        let first = try makePublisher(path, name: "a")
        try first.merge("User", "1", ["n": 1])
        _ = try await during(first) { try await $0.boundEndpoints }
        let other = #expect(throws: ModelcastError.self) { try makePublisher(path, name: "b") }
        #expect(other?.message.contains("the store of the publisher a, not of b") == true)
        var configuration = SubscriberConfiguration(name: "s", publishers: ["tcp://127.0.0.1:1"])
        configuration.store = path
        let kind = #expect(throws: ModelcastError.self) { try Subscriber(configuration, logger: silent) }
        #expect(kind?.message.contains("the store of a publisher") == true)
        #expect(try makePublisher(path, name: "a").cache.count(of: "User") == 1)
    }

    @Test func `durability without a store is refused`() async throws {
        #expect(errorCode { _ = try makePublisher(nil, durability: .beforeSend) } == .configuration)
        let publisher = try makePublisher(nil)
        #expect(publisher.storeStatus == nil)
        let error = await #expect(throws: ModelcastError.self) { try await publisher.waitUntilDurable() }
        #expect(error?.code == .configuration)
    }
}
