import ModelCBOR

/// A record cut into parts, each a record of its own with some of the cells: their join is the record (protocol
/// article, section 5). It is how a record travels that does not fit into one message.
public struct RecordParts: Sendable {
    public let record: CellRecord
    /// Where the next cell begins.
    private var offset: Int
    /// How many cells are left.
    private var left: Int
    private var isBegun = false
    /// Fields that no part has, because not even one alone would fit.
    public private(set) var oversized: [String] = []

    public init(_ record: CellRecord) {
        self.record = record
        offset = Int(record.storage.packed.cellsOffset)
        left = record.cellCount
    }

    /// The next part: as many cells as fit into `byteCount`, and at least one that fits into `byteCountMax`; nil at the
    /// end. A record whose cells all are too large is one part without any.
    /// - Complexity: O(*n*) in the bytes of the part.
    public mutating func next(byteCount: Int, byteCountMax: Int) -> CellRecord? {
        // A copy of the reference, as the bytes are lent by it while this changes.
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
            // A cell that fits into no message is passed over, also behind what this part takes: the last part is known
            // as the last.
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
        var versions = CBORReader(bytes, at: record.idRange.upperBound)
        let floor = VersionSlice(reading: &versions)
        let touched = VersionSlice(reading: &versions)
        return RecordBuilder.make(
            id: bytes.extracting(record.idRange), idHash: record.idHash, floor: floor.view(in: bytes),
            touched: touched.view(in: bytes), exists: record.exists, plan: plan, old: bytes, other: Span(), stamp: 0,
            origin: Span())
    }

    /// Nothing is left to be handed out.
    public var isAtEnd: Bool { left == 0 && isBegun }
}

extension CellRecord {
    /// The join of parts of one record, two by two, so that each byte is copied a few times only.
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
