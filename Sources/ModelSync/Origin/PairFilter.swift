import ModelCBOR
@_spi(CacheWriting) import ModelCache
import ModelRecord

/// The encoded fields of a write that the record does not hold already. Reused from write to write.
struct PairFilter {
    /// The pairs that differ.
    var bytes: [UInt8] = []
    var count = 0
    /// The changes of a whole batch, kept for their memory.
    private var changes: BatchChanges?

    /// Hands out an empty list for the changes of a batch, which is to be given back.
    mutating func takeChanges(byteCountMax: Int) -> BatchChanges {
        defer { changes = nil }
        guard let changes, changes.byteCountMax == byteCountMax else { return BatchChanges(byteCountMax: byteCountMax) }
        return changes
    }

    /// Keeps the memory of `spent` for the next batch, unless it is much.
    mutating func giveBack(_ spent: consuming BatchChanges) {
        guard spent.pairs.capacity <= PairFilter.spareByteCountMax else { return }
        spent.removeAll()
        changes = spent
    }

    /// The most memory that is kept.
    private static let spareByteCountMax = 1 << 20

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Keeps the pairs of `fields` whose value differs from that in `record`.
    mutating func keepChanges(_ fields: EncodedFields, comparedWith record: CellRecord?) {
        bytes.removeAll(keepingCapacity: true)
        count = 0
        guard let record, record.exists else {
            bytes.append(contentsOf: fields.bytes)
            count = fields.count
            return
        }
        record.forEachDifference(from: fields.bytes.span, count: fields.count) { pair in
            unsafe pair.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            count += 1
        }
    }

    /// Takes the pairs as they are.
    mutating func keepAll(_ fields: EncodedFields) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: fields.bytes)
        count = fields.count
    }

    /// How many of the names have no cell in `record`.
    func newNameCount(beside record: CellRecord) -> Int {
        var reader = CBORReader(bytes.span)
        var count = 0
        for _ in 0..<self.count {
            let name = reader.skipValidText()
            if record.version(of: reader.string(name)) == nil { count += 1 }
            reader.skipValidItem()
        }
        return count
    }
}
