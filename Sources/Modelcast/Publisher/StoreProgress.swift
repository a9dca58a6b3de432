import ModelStore

/// The store of a publisher as its socket thread has last seen it, and what the writers were told of it.
struct StoreProgress {
    /// Removes stored batches.
    var pruner: BatchPruner
    /// The store's last failure; nil once it has recovered.
    var failure: StoreError?
    /// The incarnation whose start the store was last asked to write.
    private var incarnation: UInt64
    private var told = (isFailing: false, heldByteCount: 0)

    init(_ pruner: BatchPruner, incarnation: UInt64) {
        (self.pruner, self.incarnation) = (pruner, incarnation)
    }

    /// Returns whether the start of this incarnation has to be written, and notes that it is.
    mutating func begins(_ incarnation: UInt64) -> Bool {
        defer { self.incarnation = incarnation }
        return incarnation != self.incarnation
    }

    /// Returns whether the writers have to be told this, and notes that they are. A failure is told each time.
    mutating func tells(_ failure: StoreError?, heldByteCount: Int) -> Bool {
        defer { told = (failure != nil, heldByteCount) }
        return failure != nil || told.isFailing || heldByteCount != told.heldByteCount
    }
}
