import Foundation
import GRDB
import ModelCBOR
public import ModelRecord

extension Store {
    /// Hands out every record and tombstone, as they come: for a warm start.
    ///
    /// Each is checked as if it came from the network. A row that holds no record, or that of another id, is dropped
    /// from the file and told in the report; it never stops the others.
    /// - Parameters:
    ///   - type: only the records of this type; all rows are passed over in either case.
    ///   - body: is given the type and the record. May not use the store.
    /// - Throws: ``StoreError``.
    /// - Complexity: O(*n*) in the size of the file: about 1.4 µs for a record of 450 bytes.
    @discardableResult
    public func forEachRecord(
        type: String? = nil, _ body: (_ type: String, _ record: ModelRecord.Record) -> Void
    ) throws(StoreError) -> RecordsReport {
        var report = RecordsReport()
        if let type, types[type] == nil { return report }
        var bad: [Int64] = []
        try run("reading records") { database in
            let wanted = type.flatMap { types[$0] }
            let sql = "SELECT row, type, id, bytes FROM record NOT INDEXED"
            let rows = try Row.fetchCursor(
                database, sql: wanted == nil ? sql : sql + " WHERE type = ?",
                arguments: wanted.map { [$0] } ?? [])
            var lastNumber: Int64?
            var name: String?
            while let row = try rows.next() {
                let number: Int64 = row[1]
                if number != lastNumber { (lastNumber, name) = (number, types[number]) }
                do throws(BadRow) {
                    let record = try Store.record(of: row)
                    guard let name else { throw BadRow(reason: "its type \(number) has no name") }
                    report.recordCount += 1
                    body(name, record)
                } catch {
                    bad.append(row[0])
                    let id = (row[2] as Data?).map { String(decoding: $0, as: UTF8.self) } ?? ""
                    report.drop(RecordsReport.Dropped(type: name, id: id, reason: error.reason))
                }
            }
        }
        if !bad.isEmpty { try deleteRows(bad) }
        return report
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
    public func record(type: String, id: String) throws(StoreError) -> ModelRecord.Record? {
        guard let number = types[type] else { return nil }
        return try run("reading a record") { database in
            let row = try Row.fetchOne(
                database, sql: "SELECT row, type, id, bytes FROM record WHERE type = ? AND id = ?",
                arguments: [number, Data(id.utf8)])
            return row.flatMap { try? Store.record(of: $0) }
        }
    }

    /// What is wrong with a row.
    private struct BadRow: Error {
        let reason: String
    }

    /// The record in a row whose third and fourth columns are id and bytes.
    private static func record(of row: Row) throws(BadRow) -> ModelRecord.Record {
        let found: Result<ModelRecord.Record, BadRow>?
        do {
            found = try row.withUnsafeData(atIndex: 3) { bytes -> Result<ModelRecord.Record, BadRow>? in
                try row.withUnsafeData(atIndex: 2) { id -> Result<ModelRecord.Record, BadRow>? in
                    guard let bytes, let id else { return nil }
                    return Result { () throws(BadRow) in try record(bytes, id: id) }
                }
            }
        } catch {
            throw BadRow(reason: "its columns are no bytes")
        }
        guard let found else { throw BadRow(reason: "it has no bytes") }
        return try found.get()
    }

    private static func record(_ bytes: Data, id: Data) throws(BadRow) -> ModelRecord.Record {
        var reader = CBORReader(bytes.span)
        let record: ModelRecord.Record
        do {
            record = try ModelRecord.Record(reading: &reader)
        } catch {
            throw BadRow(reason: "its bytes are no record: \(error)")
        }
        guard reader.isAtEnd else { throw BadRow(reason: "its bytes are more than a record") }
        guard record.hasID(id.span) else { throw BadRow(reason: "its record is that of another id") }
        return record
    }

    private func deleteRows(_ rows: [Int64]) throws(StoreError) {
        try run("dropping bad rows") { database in
            try database.inTransaction(.immediate) {
                let statement = try database.cachedStatement(sql: "DELETE FROM record WHERE row = ?")
                for row in rows { try statement.execute(arguments: [row]) }
                return .commit
            }
        }
    }
}
