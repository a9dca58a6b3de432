/// Whether what is in memory reaches the disk.
public enum StoreHealth: Sendable, Hashable {
    case good
    /// Writing fails, for this reason. Nothing noted is lost while the process lives; it is tried again by itself.
    case degraded(StoreError)
}

/// What an owner of a store must hear of.
public enum StoreEvent: Sendable, Hashable {
    /// Writing has begun to fail.
    case degraded(StoreError)
    /// Writing works again and all that was kept back is in the file, after so many attempts that failed.
    case recovered(failures: Int)
    /// The file was damaged, or taken away while in use; there is a new one that holds only what was noted since the
    /// last flush. Note everything anew: all records, heads and facts, and with the last of it that it is not partial
    /// any more (``StoreFacts/isPartial``). Commits are refused until that is in the file.
    case replaced(OpenReport)
}

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
