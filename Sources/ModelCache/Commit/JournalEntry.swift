public import ModelRecord

/// A model that a commit has changed, as the journal notes it for a store.
@_spi(CacheWriting)
public struct JournalEntry: Sendable {
    /// The model's type.
    public let type: String
    /// The new record, tombstones included; of a model that was removed, a record that has its id.
    public let record: CellRecord
    /// The model was removed for good, with its tombstone.
    public let isRemoval: Bool
}
