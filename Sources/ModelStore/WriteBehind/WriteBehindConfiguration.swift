/// The settings of the queue before a store, from which changes reach the disk.
public struct WriteBehindConfiguration: Sendable, Hashable {
    /// The longest time from a note to the beginning of its flush.
    public var flushInterval: Duration
    /// The number of distinct waiting models at which a flush begins early.
    public var flushModelCount: Int
    /// The number of models above which a flush takes several transactions. Durable commits are written between them.
    public var transactionModelCount: Int
    /// The pause after a first failed attempt. Each further pause is twice as long.
    public var retryInterval: Duration
    /// The longest pause between two attempts.
    public var retryIntervalMax: Duration
    /// How many bytes of batches the waiting commits may have together. A further commit is refused.
    public var commitByteCountMax: Int
    /// How many bytes the noted batches may have together while they wait for a flush. The oldest are dropped.
    public var notedBatchByteCountMax: Int

    /// Makes settings.
    public init(
        flushInterval: Duration = .seconds(1), flushModelCount: Int = 50_000, transactionModelCount: Int = 10_000,
        retryInterval: Duration = .milliseconds(250), retryIntervalMax: Duration = .seconds(10),
        commitByteCountMax: Int = 64 << 20, notedBatchByteCountMax: Int = 64 << 20
    ) {
        precondition(transactionModelCount > 0, "a transaction has room for one model at least")
        self.flushInterval = flushInterval
        self.flushModelCount = flushModelCount
        self.transactionModelCount = transactionModelCount
        self.retryInterval = retryInterval
        self.retryIntervalMax = retryIntervalMax
        self.commitByteCountMax = commitByteCountMax
        self.notedBatchByteCountMax = notedBatchByteCountMax
    }
}
