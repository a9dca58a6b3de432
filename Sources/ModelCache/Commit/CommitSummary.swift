/// The outcome of a commit, as counts.
@_spi(CacheWriting)
public struct CommitSummary: Hashable, Sendable {
    /// Models that have a new record.
    public var changed = 0
    /// Models whose old and new state a reader can tell apart. Observers are told of these.
    public var visible = 0
    /// Updates and records that changed nothing: duplicates, or older than what was there.
    public var unchanged = 0
    /// Cells that came with the version of the cell that was there, but with another value: never from a correct
    /// origin.
    public var conflictingCells = 0
    /// Cells that were left out because their model had more than ``CellRecord/cellCountMax``, and updates and records
    /// that were left out because the record would have been too large for memory.
    public var droppedCells = 0
    /// The number of this commit. A commit that changes something has the next number, another one that of the last
    /// change.
    public var commitNumber: UInt64 = 0

    /// Makes a summary of the given counts.
    public init(
        changed: Int = 0, visible: Int = 0, unchanged: Int = 0, conflictingCells: Int = 0, commitNumber: UInt64 = 0
    ) {
        self.changed = changed
        self.visible = visible
        self.unchanged = unchanged
        self.conflictingCells = conflictingCells
        self.commitNumber = commitNumber
    }
}
