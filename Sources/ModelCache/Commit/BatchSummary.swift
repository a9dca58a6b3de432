/// The outcome of the updates of one batch, as counts.
@_spi(CacheWriting)
public struct BatchSummary: Hashable, Sendable {
    /// Updates that have changed something.
    public var changed = 0
    /// Updates that changed nothing: duplicates, or older than what was there.
    public var unchanged = 0
    /// Cells that came with the version of the cell that was there, but with another value: never from a correct
    /// origin.
    public var conflictingCells = 0
    /// Cells that were left out because their model had more than ``CellRecord/cellCountMax``, and updates and records
    /// that were left out because the record would have been too large for memory.
    public var droppedCells = 0

    /// Makes a summary of the given counts.
    public init(changed: Int = 0, unchanged: Int = 0, conflictingCells: Int = 0) {
        (self.changed, self.unchanged, self.conflictingCells) = (changed, unchanged, conflictingCells)
    }

    /// The same counts of a commit, which counts models instead of updates.
    public init(_ summary: CommitSummary) {
        self.init(
            changed: summary.changed, unchanged: summary.unchanged, conflictingCells: summary.conflictingCells)
        droppedCells = summary.droppedCells
    }
}
