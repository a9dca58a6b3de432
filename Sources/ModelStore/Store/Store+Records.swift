import Dispatch
import Foundation
import GRDB
import ModelCache
public import ModelRecord

extension Store {
    /// Calls `body` with every record and tombstone.
    ///
    /// Each row is checked against its checksum, and its record like one from the network. A row that does not hold the
    /// record that was written is skipped and reported; it never stops the others.
    /// - Parameters:
    ///   - type: only the records of this type. All rows of the file are read in either case.
    ///   - body: is called with the type and the record, on the calling thread. May not use the store.
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

    /// Calls `body` with every record and tombstone, many at a time. Other threads check the rows while this one reads
    /// them: for a warm start.
    /// - Parameter body: is called with a type and some of its records, up to some thousand. Several threads call it at
    ///   once. May not use the store.
    /// - Throws: ``StoreError``, after all records that could be read have been handed out.
    public func forEachChunk(
        _ body: @escaping @Sendable (_ type: String, _ records: [CellRecord]) -> Void
    ) throws(StoreError) -> RecordsReport {
        let types = types
        let all = Guarded(RecordsReport())
        let waiting = Guarded<[RowChunk]>([])
        let (room, filled) = (DispatchSemaphore(value: Store.waitingChunkCountMax), DispatchSemaphore(value: 0))
        // Serial queues have threads of their own, so they run also where all of Swift's tasks wait for a start.
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
        // One more signal for each queue, which finds no chunk and ends.
        for _ in queues { filled.signal() }
        for queue in queues { queue.sync {} }
        try reading.get()
        return all.withLock { $0 }
    }

    /// The reading thread needs a core of its own. On two cores, a second checking thread made a warm start slower by a
    /// seventh. More than three would wait for each other to join their records, which takes as long as checking.
    private static let checkingThreadCount = min(max(ProcessInfo.processInfo.activeProcessorCount - 1, 1), 3)
    private static let waitingChunkCountMax = 4

    /// Calls `body` with all rows, or with those before the damage for which it throws.
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

    /// The number of records and tombstones of each type.
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

    /// The record of one model; nil where there is none, or where its row is damaged.
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
