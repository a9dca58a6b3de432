import ModelCBOR
@_spi(RecordWriting) import ModelRecord

/// Rows of records, copied out of the file so that another thread can check them.
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

    /// As much as a core's own cache holds.
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

    /// Checks the checksum of each row, and its record like one from the network.
    /// - Parameters:
    ///   - report: takes the rows that are wrong, and the number of those that are right.
    ///   - body: is called with the records of one type at a time.
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
        // Read in place, as bytes of the next row behind a record let most of it be checked by words.
        var reader = CBORReader(bytes.span, at: row.record.lowerBound)
        if let record = try? CellRecord(reading: &reader), reader.offset == row.record.upperBound,
            record.hasID(id)
        {
            return record
        }
        return try CellRecord(row: bytes.span.extracting(row.record), id: id)
    }
}

/// The reason why a row is wrong.
struct BadRow: Error {
    let reason: String
}

extension CellRecord {
    /// The record of a row. All of the bytes must be the record, and it must have this id.
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
