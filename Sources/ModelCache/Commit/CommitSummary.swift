/// What came of a commit.
@_spi(CacheWriting)
public struct CommitSummary: Hashable, Sendable {
    /// Models that have a new record.
    public var changed = 0
    /// Models of which a reader can tell old and new apart; observers are told of these.
    public var visible = 0
    /// Updates and records that changed nothing: duplicates, or older than what was there.
    public var unchanged = 0
    /// Cells that came with the version and not the value of the cell that was there: never from a correct origin.
    public var conflictingCells = 0
    /// Cells that were left out because their model had more than ``CellRecord/cellCountMax``, and updates and records
    /// that would have made it too large for memory.
    public var droppedCells = 0
    /// The number of this commit: one more than the last that changed anything. Unchanged by one that changes nothing.
    public var commitNumber: UInt64 = 0

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
