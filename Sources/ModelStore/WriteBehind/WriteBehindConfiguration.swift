/// How a ``WriteBehind`` works.
public struct WriteBehindConfiguration: Sendable, Hashable {
    /// What was noted is on its way to the disk after this time at the latest.
    public var flushInterval: Duration
    /// A flush begins early when so many distinct models wait.
    public var flushModelCount: Int
    /// A flush of more models than this takes several transactions; durable commits pass in between.
    public var transactionModelCount: Int
    /// The first pause after a flush that failed; each further one is twice as long.
    public var retryInterval: Duration
    /// The longest such pause.
    public var retryIntervalMax: Duration
    /// Durable commits that wait for the disk carry at most so many bytes of batches; a further one is refused.
    public var commitByteCountMax: Int
    /// Noted batches that wait for a flush take at most so many bytes; the oldest are dropped.
    public var notedBatchByteCountMax: Int

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
