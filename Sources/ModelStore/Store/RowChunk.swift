import ModelCBOR
import ModelRecord

/// Rows of records, copied out of the file to be checked elsewhere.
struct RowChunk: Sendable {
    private struct Row {
        let type: Int64
        let id: Range<Int>
        let record: Range<Int>
        let sum: Int64
    }

    private var rows: [Row] = []
    /// The ids and records of all rows.
    private var bytes: [UInt8] = []

    /// A core's own cache holds so much.
    private static let byteCountMax = 1 << 18
    private static let rowCountMax = 4096

    init() {
        // The last row may end a little beyond.
        bytes.reserveCapacity(RowChunk.byteCountMax + 4096)
    }

    var isEmpty: Bool { rows.isEmpty }
    var isFull: Bool { bytes.count >= RowChunk.byteCountMax || rows.count >= RowChunk.rowCountMax }

    /// Copies the row of `SELECT type, id, bytes, sum`.
    mutating func add(_ row: borrowing Rows) {
        let start = bytes.count
        row.append(1, to: &bytes)
        let end = bytes.count
        row.append(2, to: &bytes)
        rows.append(
            Row(
                type: row.integer(0), id: start..<end, record: end..<bytes.count,
                sum: row.integer(3)))
    }

    /// Checks the checksum of each row, and its record as if it came from the network.
    /// - Parameters:
    ///   - report: what is wrong with which rows, and how many are right.
    ///   - body: is given the records of a type.
    func check(_ types: TypeNumbers, _ report: inout RecordsReport, _ body: (String, [CellRecord]) -> Void) {
        for (type, rows) in Dictionary(grouping: rows, by: \.type) {
            let name = types[type]
            var records: [CellRecord] = []
            records.reserveCapacity(rows.count)
            for row in rows {
                do throws(BadRow) {
                    guard name != nil else { throw BadRow(reason: "its type \(type) has no name") }
                    records.append(try record(of: row))
                } catch {
                    let id = String(decoding: bytes[row.id], as: UTF8.self)
                    report.drop(RecordsReport.Dropped(type: name, id: id, reason: error.reason))
                }
            }
            report.recordCount += records.count
            if let name, !records.isEmpty { body(name, records) }
        }
    }

    private func record(of row: Row) throws(BadRow) -> CellRecord {
        let id = bytes.span.extracting(row.id)
        guard RowSum.record(type: row.type, id: id, bytes: bytes.span.extracting(row.record)) == row.sum else {
            throw BadRow(reason: "its checksum is wrong")
        }
        // With the next row behind it most of a record is checked by words.
        var reader = CBORReader(bytes.span, at: row.record.lowerBound)
        if let record = try? CellRecord(reading: &reader), reader.offset == row.record.upperBound,
            record.hasID(id)
        {
            return record
        }
        return try CellRecord(row: bytes.span.extracting(row.record), id: id)
    }
}

/// What is wrong with a row.
struct BadRow: Error {
    let reason: String
}

extension CellRecord {
    /// The record of a row: of exactly these bytes, and of this id.
    init(row bytes: Span<UInt8>, id: Span<UInt8>) throws(BadRow) {
        var reader = CBORReader(bytes)
        do {
            try self.init(reading: &reader)
        } catch {
            throw BadRow(reason: "its bytes are no record: \(error)")
        }
        guard reader.isAtEnd else { throw BadRow(reason: "its bytes are more than a record") }
        guard hasID(id) else { throw BadRow(reason: "its record is that of another id") }
    }
}
