import ModelRecord

/// The next state of the row of one model. Two values are equal when their ids are.
///
/// The entry holds the record itself, which is one reference to an immutable object, and not the id with a closure that
/// finds the record later. So the row is exactly the record that was noted together with the heads, the store's queue
/// never touches the cache, and no id is copied. The price is that a record that was replaced in the cache lives on
/// until the next flush.
struct PendingModel: Hashable {
    var record: CellRecord
    /// The row is removed. The record is the tombstone that was forgotten.
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
