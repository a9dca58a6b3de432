import Dispatch
import Foundation
import ModelRecord
import ModelWire
import Synchronization
import TestSupport
import Testing

@testable import ModelStore

@Suite struct `Writing behind` {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("a.store") }
    private let limit = Duration.seconds(30)

    init() throws { directory = try TemporaryDirectory() }

    /// A queue that flushes when it is told to.
    private func manual(
        _ change: (inout WriteBehindConfiguration) -> Void = { _ in }, events: Events = Events()
    ) throws -> WriteBehind {
        var settings = WriteBehindConfiguration(flushInterval: .seconds(3600))
        change(&settings)
        return WriteBehind(try Store.open(path: path), configuration: settings) { events.add($0) }
    }

    @Test func `a hot model costs one row per flush`() throws {
        let queue = try manual()
        for stamp in UInt64(1)...1000 { queue.note(try CellRecord.made("1", stamp: stamp), type: "User") }
        queue.note(try CellRecord.made("1", stamp: 5), type: "Order")
        #expect(queue.status.pendingModels == 2)
        try queue.flush(within: limit)
        let status = queue.status
        #expect(status.noted == 1001)
        #expect(status.conflated == 999)
        #expect(status.rowsWritten == 2)
        #expect(status.pendingModels == 0)
        #expect(status.flushes == 1)
        let record = try queue.read(within: limit) { store throws(StoreError) in
            try store.record(type: "User", id: "1")
        }
        #expect(record?.touched?.stamp == 1000)
        try queue.close(within: limit)
    }

    @Test func `what is noted is in the file after the interval, without being asked`() async throws {
        let queue = try manual { $0.flushInterval = .milliseconds(1) }
        for round in 1...3 {
            queue.note(try CellRecord.made("\(round)"), type: "User")
            #expect(await eventually { queue.status.rowsWritten == round })
        }
        try queue.close(within: limit)
    }

    @Test func `many distinct models do not wait for the interval`() async throws {
        let queue = try manual { $0.flushModelCount = 10 }
        for id in 1...9 { queue.note(try CellRecord.made("\(id)"), type: "User") }
        #expect(queue.status.pendingModels == 9)
        queue.note(try CellRecord.made("10"), type: "User")
        #expect(await eventually { queue.status.rowsWritten == 10 })
        try queue.close(within: limit)
    }

    @Test func `a tombstone that is let go before the flush leaves no row`() throws {
        let queue = try manual()
        let tombstone = try CellRecord.made("1", nil)
        queue.note(tombstone, type: "User")
        queue.note(StoreChanges { $0.remove(tombstone, type: "User") })
        try queue.flush(within: limit)
        #expect(try queue.read(within: limit) { store throws(StoreError) in try store.recordCounts() } == [:])
        try queue.close(within: limit)
    }

    @Test func `commits that wait share one transaction, and all are there when they are told`() throws {
        let queue = try manual()
        let told = Mutex<[StoreError?]>([])
        queue.queue.suspend()
        for sequence in UInt64(1)...100 {
            queue.commit(.batch(sequence)) { error in told.withLock { $0.append(error) } }
        }
        #expect(queue.status.pendingCommits == 100)
        queue.queue.resume()
        try queue.commit(.batch(101), within: limit)
        #expect(told.withLock { $0 } == Array(repeating: nil, count: 100))
        #expect(queue.status.commits == 101)
        #expect(queue.status.commitTransactions <= 2)
        // What a crash would leave now.
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: path + ".copy-wal")
        #expect(try StoreContents(Store.open(path: path + ".copy")).batches.count == 101)
        try queue.close(within: limit)
    }

    @Test func `an older note never comes after a commit of the same model`() throws {
        let queue = try manual()
        let (old, new) = (try CellRecord.made("1", stamp: 1), try CellRecord.made("1", stamp: 2))
        let head = { StoredHead(origin: "o", topic: .users, incarnation: 1, sequence: $0) }
        queue.note(
            StoreChanges {
                $0.upsert(old, type: "User")
                $0.heads = [head(1)]
            })
        try queue.commit(
            StoreChanges {
                $0.upsert(new, type: "User")
                $0.heads = [head(2)]
            }, within: limit)
        try queue.close(within: limit)
        let contents = try StoreContents(Store.open(path: path))
        #expect(contents.records == ["User": ["1": new]])
        #expect(contents.heads == [head(2)])
    }

    @Test func `more commits than may wait are refused and leave nothing behind`() throws {
        let queue = try manual { $0.commitByteCountMax = 250 }
        let told = Mutex<[StoreError.Code?]>([])
        queue.queue.suspend()
        for sequence in UInt64(1)...3 {
            queue.commit(.batch(sequence)) { error in told.withLock { $0.append(error?.code) } }
        }
        #expect(told.withLock { $0 } == [.overloaded])
        queue.queue.resume()
        try queue.close(within: limit)
        #expect(told.withLock { $0 } == [.overloaded, nil, nil])
        #expect(Set(try StoreContents(Store.open(path: path)).batches.map(\.sequence)) == [1, 2])
    }

    @Test func `noted batches are bounded, the oldest go`() throws {
        let queue = try manual { $0.notedBatchByteCountMax = 250 }
        for sequence in UInt64(1)...5 { queue.note(.batch(sequence)) }
        #expect(queue.status.droppedBatches == 3)
        try queue.close(within: limit)
        #expect(Set(try StoreContents(Store.open(path: path)).batches.map(\.sequence)) == [4, 5])
    }

    @Test func `a wait ends at its limit`() throws {
        let queue = try manual()
        queue.queue.suspend()
        #expect(storeError { try queue.flush(within: .milliseconds(1)) }?.code == .timedOut)
        queue.queue.resume()
        try queue.close(within: limit)
    }

    @Test func `closing writes what was noted, and later calls are told`() throws {
        let queue = try manual()
        queue.note(try CellRecord.made("1"), type: "User")
        try queue.close(within: limit)
        try queue.close(within: limit)
        queue.note(try CellRecord.made("2"), type: "User")
        #expect(queue.status.pendingModels == 0)
        #expect(storeError { try queue.commit(.batch(1), within: limit) }?.code == .closed)
        #expect(storeError { try queue.flush(within: limit) }?.code == .closed)
        let store = try Store.open(path: path)
        #expect(store.openReport.wasClosed)
        #expect(try store.recordCounts() == ["User": 1])
    }

    @Test func `a file that proves damaged is replaced, and its owner is told to note everything anew`() async throws {
        let store = try Store.open(path: path)
        try store.write(.manyUsers(200), durably: true)
        try store.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size / 2)
        try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size / 2)))
        try file.close()

        let events = Events()
        let settings = WriteBehindConfiguration(retryInterval: .milliseconds(1))
        let queue = WriteBehind(
            try Store.open(path: path, configuration: StoreConfiguration(check: .never)), configuration: settings
        ) { events.add($0) }
        queue.note(try CellRecord.made("1"), type: "User")
        #expect(storeError { try queue.commit(.manyUsers(200), within: limit) }?.code == .corrupt)
        #expect(await eventually { queue.status.health == .good })
        let kinds = events.all.map { event in
            switch event {
            case .degraded(let error): "degraded: \(error.code)"
            case .recovered: "recovered"
            case .replaced(let report): "replaced: \(report.setAside != nil)"
            }
        }
        #expect(kinds == ["degraded: corrupt", "replaced: true", "recovered"])
        try queue.close(within: limit)
        #expect(try Store.open(path: path).recordCounts() == ["User": 200])
    }
}

/// The events that came, in order.
final class Events: Sendable {
    private let list = Mutex<[StoreEvent]>([])

    func add(_ event: StoreEvent) { list.withLock { $0.append(event) } }

    var all: [StoreEvent] { list.withLock { $0 } }
}
