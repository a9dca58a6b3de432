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
    /// - Complexity: O(*n*) in the size of the file.
    @discardableResult
    public func forEachRecord(
        type: String? = nil, _ body: (_ type: String, _ record: ModelRecord.Record) -> Void
    ) throws(StoreError) -> RecordsReport {
        var report = RecordsReport()
        if let type, types[type] == nil { return report }
        var bad: [Int64] = []
        try run("reading records") { database in
            let wanted = type.flatMap { types[$0] }
            var rows = try Rows(database, sql: "SELECT row, type, id, bytes FROM record NOT INDEXED")
            var lastNumber: Int64?
            var name: String?
            while try rows.next() {
                let number = rows.integer(1)
                if let wanted, number != wanted { continue }
                if number != lastNumber { (lastNumber, name) = (number, types[number]) }
                do throws(BadRow) {
                    let record = try Store.record(id: 2, bytes: 3, of: rows)
                    guard let name else { throw BadRow(reason: "its type \(number) has no name") }
                    report.recordCount += 1
                    body(name, record)
                } catch {
                    bad.append(rows.integer(0))
                    let id = rows.withBytes(2) { String(decoding: Data(copying: $0), as: UTF8.self) }
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
            guard let row, let id = Data.fromDatabaseValue(row[2]), let bytes = Data.fromDatabaseValue(row[3]) else {
                return nil
            }
            return try? Store.record(bytes.span, id: id.span)
        }
    }

    /// What is wrong with a row.
    private struct BadRow: Error {
        let reason: String
    }

    private static func record(id: Int32, bytes: Int32, of rows: borrowing Rows) throws(BadRow) -> ModelRecord.Record {
        try rows.withBytes(bytes) { (bytes) throws(BadRow) in
            try rows.withBytes(id) { (id) throws(BadRow) in try record(bytes, id: id) }
        }
    }

    private static func record(_ bytes: Span<UInt8>, id: Span<UInt8>) throws(BadRow) -> ModelRecord.Record {
        var reader = CBORReader(bytes)
        let record: ModelRecord.Record
        do {
            record = try ModelRecord.Record(reading: &reader)
        } catch {
            throw BadRow(reason: "its bytes are no record: \(error)")
        }
        guard reader.isAtEnd else { throw BadRow(reason: "its bytes are more than a record") }
        guard record.hasID(id) else { throw BadRow(reason: "its record is that of another id") }
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
