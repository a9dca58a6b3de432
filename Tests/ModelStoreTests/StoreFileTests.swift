import Foundation
import GRDB
import ModelRecord
import TestSupport
import Testing

@testable import ModelStore

@Suite struct `The files of a store` {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("a.store") }
    private let limit = Duration.seconds(30)

    init() throws { directory = try TemporaryDirectory() }

    private static func permissions(_ path: String) -> [String: UInt32] {
        var found: [String: UInt32] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            found[name] = FilePlace(path: path + "/" + name)?.permissions
        }
        return found
    }

    @Test func `are their owner's alone, whatever the umask, also those that were set aside`() async throws {
        await #expect(processExitsWith: .exitCode(7)) { [folder = directory.url.path as String] in
            umask(0)
            let path = folder + "/a.store"
            let store = try Store.open(path: path)
            try store.write(.batch(1), durably: true)
            try store.replace()
            try store.write(.batch(1), durably: true)
            let all = Self.permissions(folder)
            exit(all.count >= 5 && all.values.allSatisfy { $0 == 0o600 } ? 7 : 1)
        }
    }

    @Test func `that others could read are tightened, and that is told`() throws {
        try Store.open(path: path).close()
        let isWidened = unsafe chmod(path, 0o644) == 0
        #expect(isWidened)
        let report = try Store.open(path: path).openReport
        #expect(report.tightened.first == "\(path) was 644")
        #expect(report.description.contains("\(path) was 644"))
        let isPrivate = Self.permissions(directory.url.path).values.allSatisfy { $0 == 0o600 }
        #expect(isPrivate)
    }

    @Test func `that are damaged are set aside for their owner alone`() throws {
        try Store.open(path: path).close()
        // With its mark beside it, so a store once.
        try Data(repeating: 7, count: 4096).write(to: URL(fileURLWithPath: path))
        let isWidened = unsafe chmod(path, 0o644) == 0
        #expect(isWidened)
        let aside = try #require(try Store.open(path: path).openReport.setAside)
        #expect(FilePlace(path: aside.path)?.permissions == 0o600)
    }

    @Test(arguments: [Data("{\"id\": \"1\"}\n".utf8), Data(repeating: 7, count: 4096), Data("x".utf8)])
    func `are not made of a file of another kind, which is refused and left as it is`(text: Data) throws {
        try text.write(to: URL(fileURLWithPath: path))
        let error = storeError { _ = try Store.open(path: path) }
        #expect(error?.code == .foreignFile)
        #expect(error?.description.contains("left as it is") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")).count == 1)
    }

    @Test func `are no devices and no pipes, and what others use is left as it is`() throws {
        let isMade = unsafe mkfifo(path, 0o600) == 0
        let isWidened = unsafe chmod(path, 0o666) == 0
        #expect(isMade && isWidened)
        #expect(storeError { _ = try Store.open(path: path) }?.code == .notWritable)
        #expect(FilePlace(path: path)?.permissions == 0o666)
        #expect(storeError { _ = try Store.open(path: "/dev/null") }?.code == .notWritable)
        #expect(FilePlace(path: "/dev/null")?.permissions == 0o666)
    }

    @Test func `do not keep a log of many times the limit, also after a large flush`() throws {
        let queue = WriteBehind(try Store.open(path: path), configuration: .init(flushInterval: .seconds(3600)))
        let limit = StoreConfiguration().logByteCount
        for round in 0..<6 {
            for id in 0..<2_000 {
                let record = try CellRecord.made("\(round) \(id)", ["f": .bytes(Array(repeating: 7, count: 3000))])
                queue.note(record, type: "User")
            }
            try queue.flush(within: self.limit)
            #expect(FilePlace(path: path + "-wal").map { $0.byteCount <= limit + limit / 8 } == true)
        }
        #expect(FilePlace(path: path).map { $0.byteCount > 30 << 20 } == true)
        try queue.close(within: self.limit)
    }

    @Test func `do not become smaller, their room is used again, and a VACUUM gives it back`() throws {
        func size() -> Int { FilePlace(path: path)?.byteCount ?? 0 }
        // Each commit moves its log into the file.
        let store = try Store.open(path: path, configuration: StoreConfiguration(logByteCount: 1))
        let users = try StoreChanges.manyUsers(200)
        let removal = StoreChanges { $0.removedRecords = users.records }
        func write(_ changes: StoreChanges) throws {
            try store.write(changes, durably: true)
            store.trimLog()
        }
        try write(users)
        let full = size()
        try write(removal)
        #expect(size() == full)
        try write(users)
        #expect(size() <= full + 8 * 4096)
        try write(removal)
        try store.close()
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
        try queue.close()
        #expect(size() < full / 4)
        // The mark still fits, and nothing is missing.
        let opened = try Store.open(path: path)
        #expect(opened.openReport.result == .opened && opened.openReport.isOrdinary)
        try opened.write(users, durably: true)
        #expect(try opened.recordCounts() == ["User": 200])
    }

    @Test(arguments: ["", "-wal"])
    func `that are deleted under a running process are noticed, and written anew before anything is promised`(
        suffix: String
    ) async throws {
        let events = Events()
        let settings = WriteBehindConfiguration(
            flushInterval: .milliseconds(1), retryInterval: .milliseconds(1), retryIntervalMax: .milliseconds(20))
        let queue = WriteBehind(try Store.open(path: path), configuration: settings) { events.add($0) }
        queue.note(try CellRecord.made("1"), type: "User")
        try queue.commit(.batch(1), within: limit)
        try queue.flush(within: limit)
        try FileManager.default.removeItem(atPath: path + suffix)
        #expect(storeError { try queue.commit(.batch(2), within: limit) }?.code == .detached)
        let isReplaced = await eventually {
            events.all.contains { if case .replaced = $0 { true } else { false } }
        }
        try #require(isReplaced, "\(events.all)")
        // The new file does not hold the model: a batch that counts on it is not promised.
        #expect(storeError { try queue.commit(.batch(3), within: limit) }?.code == .renewing)
        #expect(try queue.read(within: limit) { store throws(StoreError) in try store.facts().isPartial })
        var all = StoreChanges()
        all.upsert(try .made("1"), type: "User")
        all.facts.isPartial = false
        queue.note(all)
        try queue.flush(within: limit)
        try queue.commit(.batch(4), within: limit)
        #expect(await eventually { queue.status.health == .good })
        // What a crash would leave now.
        let copy = directory.path("copy.store")
        try StoreFiles(path).write(copy)
        let store = try Store.open(path: copy)
        #expect(store.openReport.setAside == nil)
        #expect(try StoreContents(store).batches.map(\.sequence) == [4])
        #expect(try store.record(type: "User", id: "1") != nil)
        #expect(try store.facts().isPartial == false)
        try queue.close(within: limit)
    }

    @Test(arguments: [("", "the file was cut off"), ("-wal", "its log was cut off")])
    func `that somebody cuts off are noticed at the next write, set aside and written anew`(
        suffix: String, told: String
    ) throws {
        let store = try Store.open(path: path)
        // Some of it in the file, some in the log.
        for sequence in 1...3 as ClosedRange<UInt64> { try store.write(.batch(sequence), durably: true) }
        try store.run("moving the log") { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
        try store.write(.batch(4), durably: true)
        let file = try FileHandle(forWritingTo: URL(filePath: path + suffix))
        try file.truncate(atOffset: 0)
        try file.close()
        let error = storeError { try store.write(.batch(5), durably: true) }
        #expect(error?.code == .detached)
        #expect(error?.description.contains(told) == true)
        let report = try store.replace()
        #expect(report.setAside != nil)
        try store.write(.batch(6), durably: true)
        try store.close()
        #expect(try StoreContents(Store.open(path: path)).batches.map(\.sequence) == [6])
    }

    @Test func `a log that is moved into the file and cut off by the store itself is no damage`() throws {
        let store = try Store.open(path: path, configuration: StoreConfiguration(logByteCount: 1))
        for sequence in 1...20 as ClosedRange<UInt64> {
            try store.write(.batch(sequence), durably: true)
            store.trimLog()
        }
        try store.close()
        #expect(try StoreContents(Store.open(path: path)).batches.count == 20)
    }

    @Test func `another file that was put in their place is left alone, and nothing is promised`() async throws {
        let settings = WriteBehindConfiguration(
            flushInterval: .milliseconds(1), retryInterval: .milliseconds(1), retryIntervalMax: .milliseconds(20))
        let queue = WriteBehind(try Store.open(path: path), configuration: settings)
        try queue.commit(.batch(1), within: limit)
        for suffix in ["", "-wal", "-mark"] { try FileManager.default.removeItem(atPath: path + suffix) }
        let other = try Store.open(path: path)
        try other.write(.batch(77), durably: true)
        for _ in 0..<5 {
            let error = storeError { try queue.commit(.batch(2), within: limit) }
            #expect(error?.code == .detached)
            #expect(error?.description.contains("another file was put in its place") == true)
        }
        #expect(queue.status.health != .good)
        #expect(storeError { try queue.close(within: limit) } != nil)
        try other.write(.batch(78), durably: true)
        try other.close()
        #expect(try StoreContents(Store.open(path: path)).batches.map(\.sequence).sorted() == [77, 78])
    }

    @Test func `that are gone are written to no more, however often it is tried`() throws {
        let store = try Store.open(path: path)
        try store.write(.batch(1), durably: true)
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<3 { #expect(storeError { try store.write(.batch(2), durably: true) }?.code == .detached) }
        try store.close()
        #expect(FilePlace(path: path) == nil)
        #expect(storeError { try store.write(.batch(3), durably: true) }?.code == .closed)
    }

    @Test func `a flush that has nothing to write still waits for the disk`() throws {
        let store = try Store.open(path: path)
        try store.write(.batch(1), durably: false)
        #expect(!store.isSynced)
        try store.write(StoreChanges(), durably: true)
        #expect(store.isSynced)
        let number = store.commitNumber
        try store.write(StoreChanges(), durably: true)
        #expect(store.commitNumber == number)
    }
}
