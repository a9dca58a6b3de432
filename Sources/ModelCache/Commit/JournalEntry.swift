public import ModelRecord

/// A model that a commit has changed, as a journal tells it.
@_spi(CacheWriting)
public struct JournalEntry: Sendable {
    public let type: String
    /// The new record, tombstones included; of a model that was taken out one that tells its id.
    public let record: CellRecord
    /// The model was taken out for good: nothing is known of it any more, not even that it was deleted.
    public let isRemoval: Bool
}
