import ModelRecord

extension ModelCache {
    /// Does `work` while the memory of a model is fetched into the processor's cache. For a writer that has something
    /// else to do first.
    ///
    /// The call prefetches the model's slot, runs `work`, and then prefetches the record without waiting. From any
    /// thread, without a lock. Nothing is promised of the model.
    /// - Parameter idHash: ``Fingerprint/fnv(_:)-(Span<UInt8>)`` of the id.
    @inline(__always)
    @_spi(CacheWriting)
    public func fetching<Result, Failure: Error>(
        _ type: String, idHash: UInt64, during work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The table is not counted, as the cache keeps its tables as long as it lives.
        guard let table = unsafe unmanagedTable(type) else { return try work() }
        let hash = SlotArray.hash(idHash: idHash)
        unsafe table._withUnsafeGuaranteedRef { $0.shards.prefetchSlot(hash) }
        let result = try work()
        unsafe table._withUnsafeGuaranteedRef { $0.shards.prefetchRecord(hash, byteCount: $0.recordByteCount) }
        return result
    }
}
