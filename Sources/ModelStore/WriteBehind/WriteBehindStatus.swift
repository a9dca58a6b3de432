/// The figures of a ``WriteBehind``.
public struct WriteBehindStatus: Sendable, Hashable {
    public var health = StoreHealth.good
    /// Distinct models that wait for the disk.
    public var pendingModels = 0
    /// Durable commits that wait for the disk.
    public var pendingCommits = 0
    /// Changes of models that were noted.
    public var noted = 0
    /// How many of them replaced one that was waiting, and so cost no row.
    public var conflated = 0
    /// Rows of models that were written.
    public var rowsWritten = 0
    /// Flushes that wrote everything.
    public var flushes = 0
    /// Durable commits that were completed without an error.
    public var commits = 0
    /// Transactions that they took: fewer, as those that wait share one.
    public var commitTransactions = 0
    /// Attempts that failed.
    public var failures = 0
    /// Noted batches that were dropped because too many waited.
    public var droppedBatches = 0

    public init() {}
}
