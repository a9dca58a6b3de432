import ModelRecord

/// What is to become of the row of one model; equal to whatever else is of the same id.
///
/// It holds the record itself, one reference to an immutable object, and not just the id with a closure that finds the
/// record later: what is written is then exactly what was noted together with the heads, the disk's thread never
/// touches the cache, and no id is copied. The price is that a record which was replaced in the cache
/// lives on until the next flush.
struct PendingModel: Hashable {
    var record: CellRecord
    /// The row goes; the record is the tombstone that was let go.
    var isRemoval = false

    static func == (left: Self, right: Self) -> Bool {
        left.record.isIdentical(to: right.record) || left.record.hasID(right.record.idBytes)
    }

    func hash(into hasher: inout Hasher) { record.hashID(into: &hasher) }
}

extension PendingModel: Comparable {
    /// Bytewise by id.
    static func < (left: Self, right: Self) -> Bool {
        let (a, b) = (left.record.idBytes, right.record.idBytes)
        for index in 0..<min(a.count, b.count) where a[index] != b[index] { return a[index] < b[index] }
        return a.count < b.count
    }
}
