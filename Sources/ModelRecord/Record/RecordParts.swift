import ModelCBOR

/// A record cut into parts, for a record that does not fit into one message. Each part is a record of its own with some
/// of the cells, and the join of all parts is the record (protocol article, section 5).
public struct RecordParts: Sendable {
    /// The record that is cut.
    public let record: CellRecord
    /// The offset of the next cell.
    private var offset: Int
    /// How many cells are left.
    private var left: Int
    private var isBegun = false
    /// The fields that no part has, because each is too large for a message. Complete at the end.
    public private(set) var oversized: [String] = []

    /// The parts of `record`, none handed out yet.
    public init(_ record: CellRecord) {
        self.record = record
        offset = Int(record.storage.packed.cellsOffset)
        left = record.cellCount
    }

    /// The next part; nil at the end. A record whose cells are all too large is one part without cells.
    /// - Parameters:
    ///   - byteCount: the size up to which cells are added to a part. A larger cell is a part of its own.
    ///   - byteCountMax: the largest part; cells that do not fit are left out and listed in ``oversized``.
    /// - Complexity: O(*n*) in the bytes of the part.
    public mutating func next(byteCount: Int, byteCountMax: Int) -> CellRecord? {
        // A copy of the reference, because the bytes are borrowed from it while `self` changes.
        let record = record
        let bytes = record.storage.bytes
        let head = record.storage.facts
        // The head of a map of more cells takes up to four bytes more.
        let headByteCount = Int(head.cellsOffset) + 4
        var plan = MergePlan()
        var reader = CBORReader(bytes, at: offset)
        while left > 0 {
            let cell = CellSlice(reading: &reader)
            let size = cell.end - cell.key.lowerBound
            // A cell that fits into no message is skipped, even behind the cells of this part: ``isAtEnd`` is then true
            // right after the last part.
            if headByteCount + size > byteCountMax {
                oversized.append(reader.string(cell.name))
            } else {
                let isFull = plan.cellCount > 0 && headByteCount + plan.byteCount + size > byteCount
                if isFull { break }
                plan.keep(.old, cell.key.lowerBound, cell.end)
            }
            offset = cell.end
            left -= 1
        }
        guard plan.cellCount > 0 || !isBegun else { return nil }
        isBegun = true
        return record.with(cells: plan)
    }

    /// True when all parts have been handed out.
    public var isAtEnd: Bool { left == 0 && isBegun }
}

extension CellRecord {
    /// The join of the parts of one record; nil without parts. Parts are joined two by two, so that each byte is copied
    /// a few times only.
    public static func joining(parts: [CellRecord]) -> CellRecord? {
        var plan = MergePlan()
        var parts = parts
        while parts.count > 1 {
            parts = stride(from: 0, to: parts.count, by: 2).map { index in
                guard index + 1 < parts.count else { return parts[index] }
                return CellRecord.joining(parts[index + 1], to: parts[index], plan: &plan).record ?? parts[index]
            }
        }
        return parts.first
    }
}
