import ModelRecord

extension ModelCache {
    /// Does some work while a model's memory is on its way: for who is about to write it and has something else to do
    /// before.
    ///
    /// First the model's slot is asked for, then, after `work`, its record, for which nobody waits here. From any
    /// thread, without a lock; nothing is promised of the model.
    /// - Parameter idHash: ``Fingerprint/fnv(_:)-(Span<UInt8>)`` of the id.
    @inline(__always)
    @_spi(CacheWriting)
    public func fetching<Result, Failure: Error>(
        _ type: String, idHash: UInt64, during work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Not counted: the cache keeps its tables as long as it lives.
        guard let table = unsafe unmanagedTable(type) else { return try work() }
        let hash = SlotArray.hash(idHash: idHash)
        unsafe table._withUnsafeGuaranteedRef { $0.shards.prefetchSlot(hash) }
        let result = try work()
        unsafe table._withUnsafeGuaranteedRef { $0.shards.prefetchRecord(hash, byteCount: $0.recordByteCount) }
        return result
    }
}
