import Foundation
import ModelStore
import TestSupport
import Testing

@testable import Modelcast

/// Subscribers with a store.
@Suite(.timeLimit(.minutes(15))) struct WarmStartTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.path("s.store") }

    init() throws { folder = try TemporaryDirectory() }

    private func makeSubscriber(
        _ endpoint: String, types: [String]? = nil, control: String? = nil
    ) throws -> Subscriber {
        var configuration = SubscriberConfiguration(name: "s", publishers: [endpoint])
        configuration.store = path
        configuration.storeWriting = .quick
        configuration.control = control
        if let types { configuration.selection = .types(types) }
        return try Subscriber(configuration, logger: silent)
    }

    /// A subscriber that has been live and has stopped.
    private func fill(_ endpoint: String, types: [String]? = nil) async throws {
        try await during(makeSubscriber(endpoint, types: types)) { try await $0.waitUntilLive() }
    }

    @Test(arguments: [nil, "tcp://127.0.0.1:*"])
    func `reads are served before any publisher answers, and then only what has changed travels`(
        control: String?
    ) async throws {
        let publisher = try makePublisher(nil)
        for id in 0..<1_000 { try publisher.merge("User", "\(id)", ["n": .int(Int64(id))]) }
        try await running(publisher) { endpoints in
            try await fill(endpoints.control)
            for id in 1_000..<1_010 { try publisher.merge("User", "\(id)", ["n": 1]) }
            try publisher.delete("User", "0")

            // Nobody is there.
            let alone = try makeSubscriber("ipc://\(folder.path("nobody"))", control: control)
            #expect(alone.cache.count(of: "User") == 1_000)
            try await during(alone) { alone in
                #expect(await eventually { alone.status.streams.map(\.state) == [.stale] })
                #expect(alone["User", "5"]?["n"] == 5)
                #expect(!alone.status.isLive)
            }

            try await during(makeSubscriber(endpoints.control, control: control)) { subscriber in
                #expect(subscriber.cache.count(of: "User") == 1_000)
                try await subscriber.waitUntilLive()
                #expect(await becomeEqual(publisher, subscriber))
                #expect(subscriber["User", "0"] == nil)
                #expect(await eventually { subscriber.status.streams.map(\.state) == [.live] })
                #expect(subscriber.status.counters[.snapshotsRequested] == 0)
                #expect(subscriber.status.counters[.replayedBatches] > 0)
                #expect(subscriber.status.store?.health == .good)
            }
        }
    }

    @Test func `a killed subscriber goes on from what was flushed`() async throws {
        let publisher = try makePublisher(nil)
        for id in 0..<100 { try publisher.merge("User", "\(id)", ["n": 1]) }
        try await running(publisher) { endpoints in
            let folder = folder
            try await during(makeSubscriber(endpoints.control)) { subscriber in
                try await subscriber.waitUntilLive()
                // Heads follow their records.
                #expect(await eventually { (subscriber.status.store?.flushes ?? 0) > 0 })
                for id in 100..<200 { try publisher.merge("User", "\(id)", ["n": 2]) }
                #expect(await becomeEqual(publisher, subscriber))
                var configuration = subscriber.configuration
                configuration.store = try folder.crash("s.store", as: "copy")
                try await during(Subscriber(configuration, logger: silent)) { survivor in
                    try await survivor.waitUntilLive()
                    #expect(await becomeEqual(publisher, survivor))
                    #expect(survivor.cache.count(of: "User") == 200)
                }
            }
        }
    }

    @Test func `a copy of less does not pass for a copy of more`() async throws {
        let publisher = try makePublisher(nil)
        try publisher.merge("User", "1", ["n": 1])
        try publisher.merge("Order", "1", ["n": 1])
        try await running(publisher) { endpoints in
            try await fill(endpoints.control, types: ["User"])
            try await during(makeSubscriber(endpoints.control)) { subscriber in
                #expect(subscriber.cache.types.isEmpty)
                try await subscriber.waitUntilLive()
                #expect(await becomeEqual(publisher, subscriber))
            }
        }
    }

    @Test func `of a copy of more only what is wanted is kept`() async throws {
        let publisher = try makePublisher(nil)
        try publisher.merge("User", "1", ["n": 1])
        try publisher.merge("Order", "1", ["n": 1])
        try await running(publisher) { endpoints in
            try await fill(endpoints.control)
            let subscriber = try makeSubscriber(endpoints.control, types: ["User"])
            #expect(subscriber.cache.types == ["User"])
            let counts = try subscriber.store?.behind.read(within: .seconds(30)) { store throws(StoreError) in
                try store.recordCounts()
            }
            #expect(counts == ["User": 1])
        }
    }

    @Test func `a damaged file is set aside and everything is fetched anew`() async throws {
        try Store.open(path: path).close()
        try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: path))
        let publisher = try makePublisher(nil)
        for id in 0..<100 { try publisher.merge("User", "\(id)", ["n": 1]) }
        try await running(publisher) { endpoints in
            try await fill(endpoints.control)
            #expect(try makeSubscriber(endpoints.control).cache.count(of: "User") == 100)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.contains { $0.hasPrefix("s.store.corrupt-") })
    }

    @Test func `damage that shows up while the file is read is no end, and everything is fetched anew`() async throws {
        let publisher = try makePublisher(nil)
        let large = Value.bytes(.init(repeating: 7, count: 2_000))
        for id in 0..<500 { try publisher.merge("User", "\(id)", ["f": large]) }
        try await running(publisher) { endpoints in
            try await fill(endpoints.control)
            try damage(path)
            try await during(makeSubscriber(endpoints.control)) { subscriber in
                #expect(subscriber.cache.count(of: "User") < 500)
                try await subscriber.waitUntilLive()
                #expect(await becomeEqual(publisher, subscriber))
            }
            #expect(
                try makeSubscriber(endpoints.control).cache.digest(of: "User") == publisher.cache.digest(of: "User"))
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.contains { $0.hasPrefix("s.store.corrupt-") })
    }

    @Test func `a full disk stops neither reads nor updates`() async throws {
        let publisher = try makePublisher(nil)
        try await running(publisher) { endpoints in
            let endpoint = endpoints.control
            try await during(makeSubscriber(endpoint)) { subscriber in
                try await subscriber.waitUntilLive()
                let store = try #require(subscriber.store)
                try store.limitPages(more: 2)
                let large = Value.bytes(.init(repeating: 7, count: 3_000))
                for id in 0..<100 { try publisher.merge("User", "\(id)", ["f": large]) }
                #expect(await becomeEqual(publisher, subscriber))
                #expect(await eventually { subscriber.status.store.map { $0.health != .good } ?? false })
                try publisher.merge("User", "1", ["n": 2])
                #expect(await eventually { subscriber["User", "1"]?["n"] == 2 })
                try store.limitPages(more: 1_000_000)
                #expect(await eventually { subscriber.status.store?.health == .good })
            }
            #expect(try makeSubscriber(endpoint).cache.digest(of: "User") == publisher.cache.digest(of: "User"))
        }
    }
}
