import Foundation
import ModelCache
import TestSupport
import Testing

import struct ModelSync.StreamPosition

@testable import Modelcast

/// Relays with a store, and publishers that take back from a relay what they had.
@Suite(.timeLimit(.minutes(15))) struct RelayStoreTests {
    private let folder: TemporaryDirectory
    private var control: String { "ipc://\(folder.path("relay"))" }

    init() throws { folder = try TemporaryDirectory() }

    private func makeRelay(
        _ name: String = "r.store", writing: WriteBehindConfiguration = .quick, publishers: [String] = [],
        replayAge: Duration = .seconds(60)
    ) throws -> Relay {
        var configuration = RelayConfiguration(
            name: "relay", endpoints: try SenderEndpoints(control: control), publishers: publishers)
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.replayAge = replayAge
        configuration.store = folder.path(name)
        configuration.storeWriting = writing
        return try Relay(configuration, logger: silent)
    }

    private func makeJob(_ name: String = "job") throws -> Publisher {
        try Publisher(PublisherConfiguration(name: name, pushingTo: [control]), logger: silent)
    }

    @Test func `what was acknowledged is there after a crash, although no record was flushed`() async throws {
        let (folder, job) = (folder, try makeJob())
        let digest = try await during(makeRelay(writing: .never)) { relay in
            try await during(job) { job in
                for id in 0..<500 { try job.merge("User", "\(id)", ["n": .int(Int64(id))]) }
                try await job.waitUntilAcknowledged()
            }
            _ = try folder.crash("r.store", as: "copy")
            return relay.cache.digest(of: "User")
        }
        let survivor = try makeRelay("copy")
        try await during(survivor) { relay in
            _ = try await relay.boundEndpoints
            #expect(relay.cache.digest(of: "User") == digest)
            #expect(relay.cache.count(of: "User") == 500)
            // Who comes later gets them, and the job's next start goes on.
            try await subscribing(to: [relay.configuration.endpoints.control]) { subscriber in
                try await subscriber.waitUntilLive()
                #expect(subscriber.cache.count(of: "User") == 500)
            }
        }
    }

    @Test func `a relay that starts again knows which jobs send transactions, also when nothing of theirs comes again`()
        async throws
    {
        try await during(makeRelay()) { relay in
            for (name, types) in [("single", ["User"]), ("grouped", ["User", "Order"])] {
                try await during(makeJob(name)) { job in
                    _ = try job.transaction { writes in
                        for type in types { try writes.merge(type, name, ["n": 1]) }
                    }
                    try await job.waitUntilAcknowledged()
                }
            }
        }
        let link = try StoreLink(
            path: folder.path("r.store"), owner: .relay, name: "relay", prefixes: [Array("m/".utf8)],
            cache: ModelCache(), settings: .never, logger: silent)
        let start = link.takeStart()
        link.close(logger: silent)
        #expect(Set(start.positions.filter(\.hasTransactions).map(\.origin)) == ["grouped"])
        #expect(Set(start.positions.map(\.origin)) == ["grouped", "single"])
    }

    @Test func `a job that goes on over a restart of the relay finds its sequences`() async throws {
        let job = try makeJob()
        try await during(job) { job in
            try await during(makeRelay()) { relay in
                for id in 0..<100 { try job.merge("User", "\(id)", ["n": 1]) }
                try await job.waitUntilAcknowledged()
                #expect(relay.cache.count(of: "User") == 100)
            }
            for id in 100..<200 { try job.merge("User", "\(id)", ["n": 1]) }
            try await during(makeRelay()) { relay in
                #expect(relay.cache.count(of: "User") == 100)
                try await job.waitUntilAcknowledged()
                #expect(relay.cache.digest(of: "User") == job.cache.digest(of: "User"))
            }
        }
    }

    @Test func `stored batches go once their records are in the file and the ring has let go of them`() async throws {
        let job = try makeJob()
        try await during(makeRelay(replayAge: .milliseconds(300))) { relay in
            try await during(job) { job in
                for id in 0..<100 { try job.merge("User", "\(id)", ["n": 1]) }
                try await job.waitUntilAcknowledged()
            }
            let store = try #require(relay.store)
            #expect(try await eventually { try store.ringByteCount() == 0 })
            #expect(await eventually { relay.status.store?.commits ?? 0 > 0 })
        }
        #expect(try makeRelay().cache.count(of: "User") == 100)
    }

    @Test func `what was pushed before a restart of the relay is replayed after it`() async throws {
        let (control, path) = (control, folder.path("s.store"))
        let job = try makeJob()
        let makeSubscriber = { @Sendable in
            var configuration = SubscriberConfiguration(name: "subscriber", publishers: [control])
            configuration.store = path
            return try Subscriber(configuration, logger: silent)
        }
        try await during(job) { job in
            try await during(makeRelay()) { relay in
                for id in 0..<10 { try job.merge("User", "\(id)", ["n": 1]) }
                try await job.waitUntilAcknowledged()
                try await during(makeSubscriber()) { subscriber in
                    try await subscriber.waitUntilLive()
                    #expect(subscriber.cache.count(of: "User") == 10)
                }
                for id in 10..<20 { try job.merge("User", "\(id)", ["n": 1]) }
                try await job.waitUntilAcknowledged()
                let flushes = relay.status.store?.flushes ?? 0
                #expect(await eventually { relay.status.store.map { $0.flushes > flushes + 4 } ?? false })
            }
            try await during(makeRelay()) { relay in
                try await during(makeSubscriber()) { subscriber in
                    #expect(await eventually { subscriber.cache.count(of: "User") == 20 })
                    #expect(await eventually { subscriber.status.counters[.holesMendedByReplay] == 1 })
                    #expect(subscriber.status.counters[.snapshotsRequested] == 0)
                }
                #expect(await eventually { relay.status.counters[.replaysServed] > 0 })
            }
        }
    }

    @Test func `while the disk is full nothing is acknowledged, and afterwards all is`() async throws {
        let job = try makeJob()
        try await during(makeRelay()) { relay in
            _ = try await relay.boundEndpoints
            let store = try #require(relay.store)
            try await during(job) { job in
                try job.merge("User", "before", ["n": 1])
                try await job.waitUntilAcknowledged()
                try store.limitPages(more: 2)
                let large = Value.bytes(.init(repeating: 7, count: 3_000))
                for id in 0..<200 { try job.merge("User", "\(id)", ["f": large]) }
                #expect(await eventually { relay.status.store.map { $0.health != .good } ?? false })
                #expect(await eventually { job.pushProgress?.relays.first?.lastError?.contains("disk full") ?? false })
                #expect(job.pushProgress?.isAcknowledged == false)
                // It serves what it has; of what the disk refuses nothing shows that a crash could take back.
                #expect((1..<201).contains(relay.cache.count(of: "User")))
                try store.limitPages(more: 1_000_000)
                try await job.waitUntilAcknowledged()
            }
            #expect(await eventually { relay.status.store?.health == .good })
        }
        #expect(try makeRelay().cache.digest(of: "User") == job.cache.digest(of: "User"))
    }

    @Test func `a relay that starts again goes on with its publishers by replay`() async throws {
        let publisher = try makePublisher(nil)
        for id in 0..<200 { try publisher.merge("User", "\(id)", ["n": 1]) }
        try await running(publisher) { endpoints in
            try await during(makeRelay(publishers: [endpoints.control])) { relay in
                #expect(await eventually { relay.status.isLive && relay.cache.count(of: "User") == 200 })
            }
            try publisher.merge("User", "new", ["n": 1])
            let second = try makeRelay(publishers: [endpoints.control])
            #expect(second.cache.count(of: "User") == 200)
            try await during(second) { relay in
                #expect(await eventually { relay.cache.count(of: "User") == 201 })
                #expect(await eventually { relay.status.isLive })
                #expect(relay.status.replicaCounters[.snapshotsRequested] == 0)
            }
        }
    }

    @Test func `a publisher without a store takes its models back and deletes what is gone`() async throws {
        let control = control
        try await during(makeRelay()) { relay in
            try await during(makeJob()) { first in
                for id in ["kept", "gone"] { try first.merge("User", id, ["n": 1]) }
                try await first.waitUntilAcknowledged()
            }
            try await during(makeJob("other")) { other in
                try other.merge("User", "other", ["n": 1])
                try await other.waitUntilAcknowledged()
            }
            let second = try makeJob()
            #expect(try await second.recover(from: [control]) == 2)
            #expect(second.cache.count(of: "User") == 2)
            try await during(second) { second in
                try second.delete("User", "gone")
                #expect(try second.merge("User", "kept", ["n": 1]) == .unchanged)
                try await second.waitUntilAcknowledged()
            }
            #expect(relay.cache["User", "gone"] == nil)
            #expect(relay.cache["User", "kept"] != nil && relay.cache["User", "other"] != nil)
        }
    }

    @Test func `a publisher whose store is new or damaged says so until it has run`() async throws {
        let path = folder.path("job.store")
        #expect(try makePublisher(path).startsAnew)
        // That one never ran, as one that could recover nothing. It lets go of its file a moment after its end.
        var next: Publisher?
        #expect(
            await eventually {
                next = try? makePublisher(path)
                return next != nil
            })
        let second = try #require(next)
        next = nil
        #expect(second.startsAnew)
        try await during(second) { publisher in
            try publisher.merge("User", "1", ["n": 1])
            try await publisher.waitUntilDurable()
        }
        let third = try makePublisher(path)
        #expect(!third.startsAnew)
        #expect(third.cache.count(of: "User") == 1)
        _ = try await during(third) { try await $0.boundEndpoints }
        try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: path))
        #expect(try makePublisher(path).startsAnew)
        #expect(try makePublisher(nil).startsAnew)
    }

    @Test func `recovering from a relay that is not there fails, and one of two is enough`() async throws {
        let (control, nobody) = (control, "ipc://\(folder.path("nobody"))")
        let publisher = try makeJob()
        let error = await #expect(throws: ModelcastError.self) {
            try await publisher.recover(from: [nobody], timeout: .milliseconds(200))
        }
        #expect(error?.code == .timeout)
        try await during(makeRelay()) { relay in
            _ = try await relay.boundEndpoints
            #expect(try await publisher.recover(from: [nobody, control], timeout: .milliseconds(500)) == 0)
        }
    }
}
