public import ModelRecord

/// A handle for point reads of one type: the name has been looked up already.
///
/// ```swift
/// let users = cache.table("User")
/// let record = users["42"]
/// ```
/// From any thread. A read takes the newest committed record, never waits for a batch, and costs some 50 ns when the
/// record is in the processor's cache. Two reads may see two commits: use ``ModelCache/snapshot()`` where they must
/// agree.
public struct ModelTable: Sendable {
    let table: TypeTable

    /// The name of the type.
    public var type: String { table.name }

    /// The model `id`, or nil when it does not exist.
    public subscript(id: String) -> CellRecord? {
        guard let record = table.record(id), record.isPresent else { return nil }
        return record
    }

    /// The record of `id`, tombstones included; nil where the id is unknown. `idHash` is `Fingerprint.fnv(_:)` of the
    /// id.
    @_spi(CacheWriting)
    public func record(_ id: Span<UInt8>, idHash: UInt64) -> CellRecord? {
        table.shards.record(SlotArray.hash(idHash: idHash), id)
    }
}
