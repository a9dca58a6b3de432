@_spi(CacheWriting) import ModelCache
@_spi(RecordWriting) import ModelRecord
import TestSupport

extension TestBatch {
    /// Commits the batch as publishers and replicas do.
    func commit(to cache: ModelCache, in table: ModelTable) -> BatchSummary { withView { cache.commit($0, in: table) } }
}

extension ModelCache {
    @discardableResult
    func commit(_ batch: TestBatch, _ type: String) -> CommitSummary {
        batch.withView { commit($0, type: type) }
    }

    /// Commits a single update.
    @discardableResult
    func commit(
        _ type: String, _ id: String, _ fields: Fields = [:], as operation: UpdateOperation = .merge,
        at stamp: Stamp
    ) -> CommitSummary {
        var batch = TestBatch()
        batch.add(operation, id, fields, at: stamp)
        return commit(batch, type)
    }
}

extension Commit {
    mutating func apply(_ batch: TestBatch, _ type: String) {
        batch.withView { apply($0, type: type) }
    }
}

extension ModelTable {
    /// Where the record of a model is; no reference is kept.
    func address(of id: String) -> UInt {
        guard let record = self[id] else { return 0 }
        let unmanaged = unsafe UnmanagedRecord(record)
        defer { unsafe unmanaged.release() }
        return unsafe UInt(bitPattern: unmanaged.address)
    }
}
