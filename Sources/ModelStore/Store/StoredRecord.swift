public import ModelRecord

/// A record and the type of its model, which the record itself does not know.
public struct StoredRecord: Hashable, Sendable {
    public var type: String
    public var record: CellRecord

    public init(type: String, record: CellRecord) {
        self.type = type
        self.record = record
    }
}
