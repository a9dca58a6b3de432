import Foundation
import Logging
import ModelCache
import ModelRecord
import TestSupport
import Testing

@testable import ModelStore
@testable import Modelcast

/// Services whose stores are damaged where no structure shows it, or taken away while they run.
@Suite(.timeLimit(.minutes(15))) struct DamagedStoreTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.path("a.store") }

    init() throws { folder = try TemporaryDirectory() }

    private func makeRelay(
        _ publishers: [String] = [], name: String = "relay", logger: Logger = silent
    ) throws -> Relay {
        var configuration = RelayConfiguration(
            name: name, endpoints: try SenderEndpoints(control: "ipc://\(folder.path("relay"))"),
            publishers: publishers)
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.store = path
        configuration.storeWriting = .quick
        return try Relay(configuration, logger: logger)
    }

    private func makeSubscriber(_ endpoint: String) throws -> Subscriber {
        var configuration = SubscriberConfiguration(name: "s", publishers: [endpoint])
        configuration.store = path
        configuration.storeWriting = .quick
        return try Subscriber(configuration, logger: silent)
    }

    /// Replaces a text in the closed file by another of its length, as a disk may.
    private func change(_ old: String, to new: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var count = 0
        while let range = bytes.range(of: Data(old.utf8)) {
            bytes.replaceSubrange(range, with: Data(new.utf8))
            count += 1
        }
        #expect(count > 0)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    /// Flips a bit in a fact of the closed file; of no name, in the head of the page that holds them all.
    private func damageFact(_ name: String?) throws {
        let url = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: url)
        // The value stands behind the name.
        let key = Data((name ?? "modelcast.owner").utf8)
        var (start, places): (Int, Set<Int>) = (0, [])
        while let range = bytes.range(of: key, in: start..<bytes.count) {
            places.insert(name == nil ? range.lowerBound / 4096 * 4096 : range.upperBound)
            start = range.upperBound
        }
        #expect(!places.isEmpty)
        for place in places { bytes[place] ^= 1 }
        try bytes.write(to: url)
    }

    private func isSetAside() throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .contains { $0.hasPrefix("a.store.corrupt-") }
    }

    @Test func `a subscriber never serves a changed letter, and fetches that type anew and no other`() async throws {
        let publisher = try makePublisher(nil)
        for id in 0..<100 {
            try publisher.merge("User", "\(id)", ["name": .text("Ada-\(id)-")])
            try publisher.merge("Order", "\(id)", ["n": 1])
        }
        try await running(publisher) { endpoints in
            try await during(makeSubscriber(endpoints.control)) { try await $0.waitUntilLive() }
            try change("Ada-42-", to: "Eda-42-")
            let subscriber = try makeSubscriber(endpoints.control)
            #expect(subscriber["User", "42"] == nil)
            #expect(subscriber.cache.count(of: "User") == 99)
            #expect(try isSetAside())
            try await during(subscriber) { subscriber in
                #expect(await eventually { subscriber["User", "42"]?["name"] == .text("Ada-42-") })
                try await subscriber.waitUntilLive()
                #expect(await becomeEqual(publisher, subscriber))
            }
            // The new file is whole, and goes on.
            let next = try makeSubscriber(endpoints.control)
            #expect(next.cache.digest(of: "User") == publisher.cache.digest(of: "User"))
            try await during(next) { next in
                try await next.waitUntilLive()
                #expect(next.status.counters[.snapshotsRequested] == 0)
            }
        }
    }

    @Test func `a publisher with a damaged row says that it starts anew, and takes the model back`() async throws {
        let path = path
        let job = { @Sendable (control: String) throws -> Publisher in
            var configuration = PublisherConfiguration(name: "p", pushingTo: [control])
            configuration.store = path
            configuration.storeWriting = .quick
            return try Publisher(configuration, logger: silent)
        }
        let relay = try Relay(
            RelayConfiguration(
                name: "r", endpoints: try SenderEndpoints(control: "ipc://\(folder.path("relay"))"), publishers: []),
            logger: silent)
        try await during(relay) { relay in
            let control = try await relay.boundEndpoints.control
            try await during(job(control)) { publisher in
                for id in 0..<10 { try publisher.merge("User", "\(id)", ["name": .text("Ada-\(id)-")]) }
                try await publisher.waitUntilAcknowledged()
            }
            try change("Ada-4-", to: "Eda-4-")
            let second = try job(control)
            #expect(second.startsAnew)
            #expect(second.cache.count(of: "User") == 9)
            #expect(try await second.recover(from: [control]) > 0)
            #expect(second.cache["User", "4"]?["name"] == .text("Ada-4-"))
        }
    }

    @Test func `a relay with a damaged row keeps every other push, and fetches from those it listens to`() async throws
    {
        let publisher = try makePublisher(nil)
        for id in 0..<20 { try publisher.merge("User", "\(id)", ["name": .text("Ada-\(id)-")]) }
        try await running(publisher) { endpoints in
            try await during(makeRelay([endpoints.control])) { relay in
                let control = try await relay.boundEndpoints.control
                let job = try Publisher(PublisherConfiguration(name: "job", pushingTo: [control]), logger: silent)
                try await during(job) { job in
                    for id in 0..<20 { try job.merge("Order", "\(id)", ["n": 1]) }
                    try await job.waitUntilAcknowledged()
                }
                #expect(await eventually { relay.cache.count(of: "User") == 20 })
            }
            try change("Ada-7-", to: "Eda-7-")
            let relay = try makeRelay([endpoints.control])
            #expect(relay.cache.count(of: "Order") == 20)
            #expect(relay.cache["User", "7"] == nil)
            try await during(relay) { relay in
                #expect(await eventually { relay.cache["User", "7"]?["name"] == .text("Ada-7-") })
            }
        }
    }

    @Test func `a damaged fact costs a publisher none of its models`() async throws {
        let names: [String?] = ["store.alive", "store.commit", nil]
        for name in names {
            _ = try await during(makePublisher(path)) { publisher in
                for id in 0..<20 { try publisher.merge("User", "\(id)", ["n": 1]) }
                try await publisher.waitUntilDurable()
            }
            try damageFact(name)
            try await during(makePublisher(path)) { publisher in
                #expect(publisher.cache.count(of: "User") == 20)
                #expect(publisher.startsAnew)
                let outcome = try publisher.merge("User", "1", ["n": 1])
                #expect(outcome == .unchanged)
            }
            #expect(try isSetAside())
        }
    }

    @Test func `a damaged fact costs a relay no push, and what it listens to is built anew`() async throws {
        let publisher = try makePublisher(nil)
        for id in 0..<20 { try publisher.merge("User", "\(id)", ["n": 1]) }
        try await running(publisher) { endpoints in
            try await during(makeRelay([endpoints.control])) { relay in
                let control = try await relay.boundEndpoints.control
                let job = try Publisher(PublisherConfiguration(name: "job", pushingTo: [control]), logger: silent)
                try await during(job) { job in
                    for id in 0..<20 { try job.merge("Order", "\(id)", ["n": 1]) }
                    try await job.waitUntilAcknowledged()
                }
                #expect(await eventually { relay.cache.count(of: "User") == 20 })
            }
            let names: [String?] = ["store.alive", "modelcast.pushed.job", "store.commit", nil]
            for name in names {
                let value = Value.text(name ?? "all")
                try damageFact(name)
                let relay = try makeRelay([endpoints.control])
                #expect(relay.cache.count(of: "Order") == 20)
                #expect(relay.cache.count(of: "User") == 20)
                try publisher.merge("User", "0", ["n": value])
                try await during(relay) { relay in
                    #expect(await eventually { relay.cache["User", "0"]?["n"] == value })
                    #expect(await eventually { relay.status.senders.map(\.state) == [.live] })
                    if name == "store.alive" || name == nil {
                        #expect(await eventually { relay.status.replicaCounters[.renewals] > 0 })
                    }
                    #expect(relay.cache.count(of: "Order") == 20)
                }
            }
        }
    }

    /// Opens the store as a service does at its start, and closes it.
    private func start(_ owner: StoreLink.Owner, _ log: RecordedLog = RecordedLog()) throws {
        let link = try StoreLink(
            path: path, owner: owner, name: "a", prefixes: nil, cache: ModelCache(), settings: .never,
            logger: log.makeLogger())
        link.close(logger: silent)
    }

    @Test(arguments: [
        ("publisher", "take them back from a relay (--recover-from, Publisher.recover) or publish them anew"),
        ("relay", "run the jobs of that time again"),
        ("subscriber", "everything is fetched anew"),
    ])
    func `a service that has lost its file says which commits are gone, and what to do`(
        kind: String, words: String
    ) throws {
        let owner = try #require(StoreLink.Owner(rawValue: kind))
        try start(owner)
        try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: path))
        let log = RecordedLog()
        try start(owner, log)
        let told = try #require(log.entries.first { $0.metadata["consequence"] != nil }, "\(log.entries)")
        #expect(told.level == .warning)
        #expect(told.message.hasPrefix("store: damaged, and begun anew: \(path): created; a damaged file is kept as "))
        let damage = try #require(told.metadata["damage"])
        let form = #/everything that it held: commits 1 to \d+ \(from \S+Z until \S+Z\) are gone/#
        #expect(damage.wholeMatch(of: form) != nil, "\(damage)")
        #expect(told.metadata["consequence"]?.contains(words) == true)
        // The file is new then, and nothing more is told.
        let next = RecordedLog()
        try start(owner, next)
        #expect(next.entries.allSatisfy { $0.level < .warning }, "\(next.entries)")
    }

    @Test func `a relay whose lost file has no mark left says to run all jobs again`() throws {
        try start(.relay)
        try FileManager.default.removeItem(atPath: path + "-mark")
        // The file still begins like a database.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try file.seekToEnd()
        try file.truncate(atOffset: size / 2 / 4096 * 4096)
        try file.close()
        let log = RecordedLog()
        try start(.relay, log)
        let told = try #require(log.entries.first { $0.metadata["consequence"] != nil }, "\(log.entries)")
        #expect(told.metadata["damage"]?.contains("everything that it held is gone; its mark") == true)
        #expect(told.metadata["consequence"]?.contains("run all jobs again") == true)
    }

    @Test func `damage that a start finds is told as that, and not as found in use`() throws {
        try start(.relay)
        try damageFact("modelcast.owner")
        let log = RecordedLog()
        try start(.relay, log)
        let told = try #require(log.entries.first { $0.metadata["consequence"] != nil }, "\(log.entries)")
        #expect(told.message.hasSuffix(": damage found at the start"))
        #expect(told.metadata["damage"] == "1 fact row: modelcast.owner")
    }

    @Test func `a relay whose file has another application id keeps every push`() async throws {
        try await during(makeRelay()) { relay in
            let control = try await relay.boundEndpoints.control
            let job = try Publisher(PublisherConfiguration(name: "job", pushingTo: [control]), logger: silent)
            try await during(job) { job in
                for id in 0..<20 { try job.merge("Order", "\(id)", ["n": 1]) }
                try await job.waitUntilAcknowledged()
            }
        }
        // Its place in the header of an SQLite file.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 68)
        try file.write(contentsOf: Data("z".utf8))
        try file.close()
        let log = RecordedLog()
        let relay = try makeRelay(logger: log.makeLogger())
        #expect(relay.cache.count(of: "Order") == 20)
        #expect(try isSetAside())
        #expect(log.entries.contains { $0.metadata["damage"]?.contains("its application id is 7a644373") == true })
    }

    @Test func `what is left of a damaged row cannot forge a line of a log`() {
        var damage = StoreDamage()
        let row = RecordsReport.Dropped(type: "T\n", id: "1\u{1B}", reason: "its checksum is wrong")
        damage.add(RecordsReport(droppedCount: 1, dropped: [row]))
        damage.add([DamagedRow(table: .fact, key: "a\nb")])
        #expect(damage.description == #"1 model: T\n 1\u{1B} (its checksum is wrong); 1 fact row: a\nb"#)
    }

    @Test func `a relay does not open the store of a relay of another name`() async throws {
        try await during(makeRelay(name: "a")) { _ = try await $0.boundEndpoints }
        let error = #expect(throws: ModelcastError.self) { try makeRelay(name: "b") }
        #expect(error?.code == .store)
        let words = "store of another: it is the store of the relay a, not of b. Name another path; this file is left"
        #expect(error?.message.contains(words) == true)
        #expect(error?.message.contains("not a store") == false)
        #expect(try makeRelay(name: "a").configuration.name == "a")
    }

    @Test func `a file that is deleted under a publisher is written anew with everything, and told`() async throws {
        let publisher = try makePublisher(path, durability: .beforeSend)
        try await running(publisher) { endpoints in
            try await subscribing(to: [endpoints.control]) { subscriber in
                for id in 0..<200 { try publisher.merge("User", "\(id)", ["n": 1]) }
                #expect(await eventually { subscriber.cache.count(of: "User") == 200 })
                for suffix in ["", "-wal"] { try FileManager.default.removeItem(atPath: path + suffix) }
                #expect(
                    await eventually {
                        _ = try? publisher.merge("User", "new", ["n": 1])
                        return FileManager.default.fileExists(atPath: path)
                    })
                #expect(await eventually { subscriber["User", "new"] != nil })
                // What was sent since is on disk, with all that was there before.
                let survivor = try makePublisher(folder.crash("a.store", as: "copy"))
                #expect(survivor.cache.digest(of: "User") == publisher.cache.digest(of: "User"))
                #expect(await eventually { publisher.storeStatus?.health == .good })
            }
        }
    }
}
