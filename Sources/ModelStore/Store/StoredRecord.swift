public import ModelRecord

/// A record with the type of its model, which the record itself does not have.
public struct StoredRecord: Hashable, Sendable {
    /// The type of the model.
    public var type: String
    /// The record or tombstone.
    public var record: CellRecord

    /// Makes a pair of both.
    public init(type: String, record: CellRecord) {
        self.type = type
        self.record = record
    }
}
