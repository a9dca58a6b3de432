import Dispatch
import Foundation
import GRDB
import ModelCache
public import ModelRecord

extension Store {
    /// Hands out every record and tombstone.
    ///
    /// Each is checked against its checksum, and as if it came from the network. A row that holds no record, or not the
    /// one that was written there, is passed over and told in the report; it never stops the others.
    /// - Parameters:
    ///   - type: only the records of this type; all rows are passed over in either case.
    ///   - body: is given the type and the record. May not use the store.
    /// - Throws: ``StoreError``.
    /// - Complexity: O(*n*) in the size of the file.
    @discardableResult
    public func forEachRecord(
        type: String? = nil, _ body: (_ type: String, _ record: CellRecord) -> Void
    ) throws(StoreError) -> RecordsReport {
        var report = RecordsReport()
        try forEachRowChunk(type: type) { chunk in
            chunk.check(types, &report) { name, records in for record in records { body(name, record) } }
        }
        return report
    }

    /// As ``forEachRecord(type:_:)``, many at a time, which other threads check while this one reads: for a warm start.
    /// - Parameter body: is given a type and records of it, up to some thousand. Several threads call it at once. May
    ///   not use the store.
    /// - Throws: ``StoreError``, when all that could be read has been handed out.
    public func forEachChunk(
        _ body: @escaping @Sendable (_ type: String, _ records: [CellRecord]) -> Void
    ) throws(StoreError) -> RecordsReport {
        let types = types
        let all = Guarded(RecordsReport())
        let waiting = Guarded<[RowChunk]>([])
        let (room, filled) = (DispatchSemaphore(value: Store.waitingChunkCountMax), DispatchSemaphore(value: 0))
        // Serial ones: they have threads of their own, also where all of Swift's tasks are waiting for a start.
        let queues = (0..<Store.checkingThreadCount).map { DispatchQueue(label: "modelcast-load-\($0)") }
        for queue in queues {
            queue.async {
                var report = RecordsReport()
                while true {
                    filled.wait()
                    guard let chunk = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { break }
                    room.signal()
                    chunk.check(types, &report, body)
                }
                all.withLock { $0.add(report) }
            }
        }
        let reading = Result { () throws(StoreError) in
            try forEachRowChunk(type: nil) { chunk in
                room.wait()
                waiting.withLock { $0.append(chunk) }
                filled.signal()
            }
        }
        // One more for each: there is nothing left.
        for _ in queues { filled.signal() }
        for queue in queues { queue.sync {} }
        try reading.get()
        return all.withLock { $0 }
    }

    /// The thread that reads has a core of its own where there are two: on two, a second one that checks made a warm
    /// start slower by a seventh. More than three would only wait to join, which takes as long as checking.
    private static let checkingThreadCount = min(max(ProcessInfo.processInfo.activeProcessorCount - 1, 1), 3)
    private static let waitingChunkCountMax = 4

    /// Hands out all rows, or those before the damage that it throws for.
    private func forEachRowChunk(type: String?, _ body: (RowChunk) -> Void) throws(StoreError) {
        let wanted = type.flatMap { types[$0] }
        if type != nil, wanted == nil { return }
        try run("reading records") { database in
            var rows = try Rows(database, sql: "SELECT type, id, bytes, sum FROM record NOT INDEXED")
            var chunk = RowChunk()
            defer { if !chunk.isEmpty { body(chunk) } }
            while try rows.next() {
                if let wanted, rows.integer(0) != wanted { continue }
                chunk.add(rows)
                guard chunk.isFull else { continue }
                body(chunk)
                chunk = RowChunk()
            }
        }
    }

    /// How many records and tombstones of each type there are.
    /// - Complexity: O(*n*).
    public func recordCounts() throws(StoreError) -> [String: Int] {
        try run("counting records") { database in
            var counts: [String: Int] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT type, count(*) FROM record GROUP BY type") {
                if let name = types[row[0] as Int64] { counts[name] = row[1] }
            }
            return counts
        }
    }

    /// The record of one model, if there is one that can be read.
    public func record(type: String, id: String) throws(StoreError) -> CellRecord? {
        guard let number = types[type] else { return nil }
        return try run("reading a record") { database in
            let row = try Row.fetchOne(
                database, sql: "SELECT id, bytes, sum FROM record WHERE type = ? AND id = ?",
                arguments: [number, Data(id.utf8)])
            guard let row, let id = Data.fromDatabaseValue(row[0]), let bytes = Data.fromDatabaseValue(row[1]),
                Int64.fromDatabaseValue(row[2]) == RowSum.record(type: number, id: id.span, bytes: bytes.span)
            else { return nil }
            return try? CellRecord(row: bytes.span, id: id.span)
        }
    }
}
