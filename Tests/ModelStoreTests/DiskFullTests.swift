import Foundation
import ModelRecord
import TestSupport
import Testing

@testable import ModelStore

@Suite struct `A full disk` {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("a.store") }
    private let limit = Duration.seconds(30)

    init() throws { directory = try TemporaryDirectory() }

    @Test func `a write that does not fit is undone whole, and the store works on`() throws {
        let store = try Store.open(path: path)
        try store.write(StoreChanges { $0.upsert(try CellRecord.made("1"), type: "User") }, durably: true)
        let before = try StoreContents(store)
        try store.limitPages(to: store.pageCount() + 4)
        let large = StoreChanges { changes in
            changes.upsert(Self.large("2"), type: "Unheard")
            changes.batches = (1...100).map { .made($0, byteCount: 3000) }
        }
        let error = storeError { try store.write(large, durably: true) }
        #expect(error?.code == .diskFull)
        #expect(error?.sqliteCode == 13)
        #expect(error?.description.contains("Free some space") == true)
        #expect(try StoreContents(store) == before)
        #expect(store.ringByteCount == 0)
        #expect(!store.isCorrupt)
        try store.limitPages(to: 1_000_000)
        try store.write(large, durably: true)
        #expect(store.ringByteCount == 300_000)
        try store.close()
        #expect(try StoreContents(Store.open(path: path)).records.count == 2)
    }

    @Test func `commits fail, notes are kept, and space that returns mends it by itself`() async throws {
        let events = Events()
        let settings = WriteBehindConfiguration(
            flushInterval: .milliseconds(1), retryInterval: .milliseconds(1), retryIntervalMax: .milliseconds(20))
        let queue = WriteBehind(try Store.open(path: path), configuration: settings) { events.add($0) }
        try limitPages(of: queue, more: 4)
        #expect(storeError { try queue.commit(.large, within: limit) }?.code == .diskFull)
        for stamp in UInt64(1)...50 {
            for id in 1...100 { queue.note(Self.large("\(id)", stamp: stamp), type: "User") }
        }
        queue.note(StoreChanges { $0.heads = [.init(origin: "o", topic: .users, incarnation: 1, sequence: 9)] })
        #expect(await eventually { queue.status.failures > 3 })
        guard case .degraded(let error) = queue.status.health else {
            Issue.record("not degraded")
            return
        }
        #expect(error.code == .diskFull)
        #expect(queue.status.pendingModels <= 200)
        // The heads speak of records that are not in the file: they may not be, either.
        #expect(try queue.read(within: limit) { store throws(StoreError) in try store.heads() }.isEmpty)

        try limitPages(of: queue, more: 100_000)
        #expect(await eventually { queue.status.health == .good && queue.status.pendingModels == 0 })
        try queue.commit(.large, within: limit)
        // Trouble and its end alternate; how often depends on what just fits.
        for (index, event) in events.all.enumerated() {
            switch event {
            case .degraded(let error): #expect(index.isMultiple(of: 2) && error.code == .diskFull)
            case .recovered(let failures): #expect(!index.isMultiple(of: 2) && failures > 0)
            case .replaced: Issue.record("a full disk is no damage")
            }
        }
        #expect(events.all.count.isMultiple(of: 2) && !events.all.isEmpty)
        try queue.close(within: limit)
        let store = try Store.open(path: path)
        #expect(try store.recordCounts() == ["User": 100])
        #expect(try store.record(type: "User", id: "7")?.touched?.stamp == 50)
        #expect(try store.heads().map(\.sequence) == [9])
        #expect(store.ringByteCount == 300_000)
    }

    @Test func `while commits fail a small flush that finds room is no recovery`() async throws {
        let events = Events()
        let settings = WriteBehindConfiguration(
            flushInterval: .milliseconds(1), retryInterval: .milliseconds(1), retryIntervalMax: .milliseconds(5))
        let queue = WriteBehind(try Store.open(path: path), configuration: settings) { events.add($0) }
        try limitPages(of: queue, more: 4)
        for _ in 0..<20 {
            #expect(storeError { try queue.commit(.large, within: limit) }?.code == .diskFull)
            try queue.flush(within: limit)
            #expect(queue.status.health != .good)
        }
        #expect(events.all.count == 1)
        try limitPages(of: queue, more: 100_000)
        try queue.commit(.large, within: limit)
        #expect(queue.status.health == .good)
        #expect(events.all.count == 2)
        // Nobody commits any more: in the end a flush tells.
        try limitPages(of: queue, more: 0)
        let more = StoreChanges { $0.batches = (101...200).map { .made($0, byteCount: 3000) } }
        #expect(storeError { try queue.commit(more, within: limit) }?.code == .diskFull)
        try limitPages(of: queue, more: 100_000)
        #expect(await eventually { queue.status.health == .good })
        try queue.close(within: limit)
    }

    @Test func `a flush that stops between its parts is known as such after a crash`() throws {
        let settings = WriteBehindConfiguration(
            flushInterval: .seconds(3600), transactionModelCount: 5, retryInterval: .seconds(3600))
        let queue = WriteBehind(try Store.open(path: path), configuration: settings)
        try limitPages(of: queue, more: 20)
        for id in 1...100 { queue.note(Self.large("\(id)"), type: "User") }
        #expect(storeError { try queue.flush(within: limit) }?.code == .diskFull)
        let written = queue.status.rowsWritten
        #expect(written > 0 && written < 100)
        #expect(queue.status.pendingModels == 100 - written)
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: path + ".copy-wal")
        #expect(try Store.open(path: path + ".copy").openReport.isWhole == false)

        try limitPages(of: queue, more: 100_000)
        try queue.close(within: limit)
        let store = try Store.open(path: path)
        #expect(store.openReport.isWhole)
        #expect(try store.recordCounts() == ["User": 100])
    }

    @Test func `a volume that is really full behaves the same`() async throws {
        guard let volume = SmallVolume(at: directory.path("volume"), megabytes: 4) else { return }
        defer { volume.unmount() }
        let settings = WriteBehindConfiguration(
            flushInterval: .milliseconds(1), retryInterval: .milliseconds(1), retryIntervalMax: .milliseconds(20))
        let queue = WriteBehind(try Store.open(path: volume.path + "/a.store"), configuration: settings)
        try queue.commit(.batch(1), within: limit)
        try volume.fill()
        var error: StoreError?
        for round in UInt64(0)..<100 where error == nil {
            let batches = (1...10).map { StoredBatch.made(2 + round * 10 + $0, byteCount: 3000) }
            error = storeError { try queue.commit(StoreChanges { $0.batches = batches }, within: limit) }
        }
        #expect(error?.code == .diskFull)
        queue.note(Self.large("1"), type: "User")
        #expect(await eventually { queue.status.failures > 3 })
        try volume.empty()
        #expect(await eventually { queue.status.health == .good && queue.status.pendingModels == 0 })
        try queue.commit(.batch(100_000), within: limit)
        try queue.close(within: limit)
        let store = try Store.open(path: volume.path + "/a.store", configuration: StoreConfiguration(check: .always))
        #expect(store.openReport.setAside == nil)
        let contents = try StoreContents(store)
        #expect(contents.records["User"]?.count == 1)
        #expect(contents.batches.isSuperset(of: [.made(1), .made(100_000)]))
        try store.close()
    }

    private static func large(_ id: String, stamp: UInt64 = 1) -> CellRecord {
        guard let record = try? CellRecord.made(id, ["f": .bytes(.init(repeating: 7, count: 3000))], stamp: stamp)
        else {
            preconditionFailure("the record is well formed")
        }
        return record
    }

    private func limitPages(of queue: WriteBehind, more count: Int) throws {
        try queue.queue.sync {
            try queue.writer.withStore { try $0.limitPages(to: $0.pageCount() + count) }
        }
    }
}

extension StoreChanges {
    fileprivate static var large: StoreChanges {
        StoreChanges { $0.batches = (1...100).map { .made($0, byteCount: 3000) } }
    }
}

/// A file system in memory of a few megabytes, where this process may mount one.
private struct SmallVolume {
    let path: String

    init?(at path: String, megabytes: Int) {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        } catch {
            print("skipped: no directory for a small volume: \(error)")
            return nil
        }
        let words = Self.run(["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "none", path])
        guard words == nil else {
            print("skipped: no small volume could be mounted: \(words ?? "")")
            return nil
        }
    }

    func unmount() {
        if let words = Self.run(["umount", path]) { print("\(path) is still mounted: \(words)") }
    }

    /// Writes until nothing fits any more.
    func fill() throws {
        let file = path + "/filler"
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        let block = Data(repeating: 1, count: 4096)
        while (try? handle.write(contentsOf: block)) != nil {}
        try handle.close()
    }

    func empty() throws { try FileManager.default.removeItem(atPath: path + "/filler") }

    /// - Returns: nil, or why it failed.
    private static func run(_ arguments: [String]) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardError = pipe
        do { try process.run() } catch { return "\(error)" }
        let words = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : words
    }
}
