/// The figures of the queue before a store, from which changes reach the disk.
public struct WriteBehindStatus: Sendable, Hashable {
    /// Whether changes reach the disk.
    public var health = StoreHealth.good
    /// Distinct models that wait to be written.
    public var pendingModels = 0
    /// Durable commits that wait to be written.
    public var pendingCommits = 0
    /// Records and removals that were noted.
    public var noted = 0
    /// How many of ``noted`` replaced a waiting one, and so cost no row.
    public var conflated = 0
    /// Rows of models that were written.
    public var rowsWritten = 0
    /// Flushes that wrote everything.
    public var flushes = 0
    /// Durable commits that ended without an error.
    public var commits = 0
    /// Transactions of these commits. There are fewer than commits, as waiting ones share a transaction.
    public var commitTransactions = 0
    /// Attempts to write that failed.
    public var failures = 0
    /// Noted batches that were dropped because too many waited.
    public var droppedBatches = 0

    /// Makes figures that are all 0.
    public init() {}
}
