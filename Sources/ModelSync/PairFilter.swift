import ModelCBOR
import ModelRecord

/// Encoded fields of a write, without those that the record already holds. Reused from write to write.
struct PairFilter {
    /// The pairs that differ.
    var bytes: [UInt8] = []
    var count = 0

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Keeps the pairs of `fields` whose value differs from that in `record`.
    mutating func keepChanges(_ fields: EncodedFields, comparedWith record: Record?) {
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
}
