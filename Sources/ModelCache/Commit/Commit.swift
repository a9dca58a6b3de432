@_spi(RecordWriting) public import ModelRecord

/// A commit in progress: batches and records of any types that become visible in one atomic step.
///
/// The commit is lent to the body of ``ModelCache/commit(_:)``. No other thread sees any of it until that returns.
@_spi(CacheWriting)
public struct Commit: ~Copyable {
    // `writer` stands first because of the thread sanitizer: it takes a change of the writer's state for a change of
    // the object that the first property refers to. Other threads read the class of the cache meanwhile, so with the
    // cache first a false race would be reported.
    private let writer: Writer
    private let cache: ModelCache

    init(_ cache: ModelCache, _ writer: Writer) {
        self.cache = cache
        self.writer = writer
    }

    /// Merges the updates of `batch` into the models of `type`.
    /// - Complexity: O(*updates*)
    public mutating func apply(_ batch: borrowing UpdateBatchView, type: String) {
        var changes: BatchChanges?
        apply(batch, to: writer.table(type, cache), noting: &changes)
    }

    /// Merges the updates of `batch` into the models of a table of this cache.
    /// - Parameter changes: notes what differs, when the batch is an origin's own; nil for a replica.
    mutating func apply(
        _ batch: borrowing UpdateBatchView, in table: TypeTable, noting changes: inout BatchChanges?
    ) {
        apply(batch, to: writer.table(table), noting: &changes)
    }

    private mutating func apply(
        _ batch: borrowing UpdateBatchView, to table: TypeTable, noting changes: inout BatchChanges?
    ) {
        table.pending.apply(
            batch, table.shards, plan: &writer.plan, tally: &writer.tally, changes: &changes,
            byteCount: &table.recordByteCount)
    }

    /// Joins the whole state of a model of `type`, as snapshots carry it.
    public mutating func join(_ record: CellRecord, type: String) {
        let table = writer.table(type, cache)
        table.pending.join(record, table.shards, plan: &writer.plan, tally: &writer.tally)
    }

    /// Joins the whole state of a model that has been fetched.
    mutating func arrive(_ record: CellRecord, in table: TypeTable) {
        table.pending.join(record, isArrival: true, table.shards, plan: &writer.plan, tally: &writer.tally)
    }

    /// Joins the whole states of several models of `type`.
    /// - Complexity: O(*records*)
    public mutating func join(_ records: [CellRecord], type: String) {
        let table = writer.table(type, cache)
        table.pending.join(records, table.shards, plan: &writer.plan, tally: &writer.tally)
    }

    /// How many of the updates and records so far have changed nothing.
    public var unchangedCount: Int { writer.tally.unchanged }

    /// The table of `type`, noted as touched by this commit.
    mutating func touch(_ type: String) -> TypeTable { writer.table(type, cache) }

    mutating func overwrite(_ table: TypeTable, _ id: Span<UInt8>, idHash: UInt64, with record: CellRecord?) {
        table.pending.overwrite(
            id, SlotArray.hash(idHash: idHash), with: record, table.shards, plan: &writer.plan, tally: &writer.tally)
    }

    /// Some observer has asked to be told which models of the table leave the copy for its limits.
    func hasEvictionObservers(of table: TypeTable) -> Bool {
        cache.cut.withLock { $0.evictionObservers.mayConcern(table) }
    }

    /// Removes a model that leaves the copy for its limits. The commit must change nothing else.
    /// - Parameter isTold: some observer has asked to be told of that.
    mutating func evict(_ hash: UInt64, _ record: CellRecord, from table: TypeTable, isTold: Bool) {
        let table = writer.table(table)
        writer.isEvicting = true
        table.pending.evict(
            record, hash, isTold: isTold, table.shards, plan: &writer.plan, tally: &writer.tally)
    }

    mutating func setWithdrawn(_ isWithdrawn: Bool, _ table: TypeTable, _ id: Span<UInt8>, idHash: UInt64) {
        table.pending.setWithdrawn(
            isWithdrawn, id, SlotArray.hash(idHash: idHash), table.shards, tally: &writer.tally)
    }

    /// The record of a model with the changes of this commit so far, tombstones included.
    /// - Parameters:
    ///   - idHash: ``Fingerprint/fnv(_:)-(Span<UInt8>)`` of the id.
    ///   - isUse: the read counts as a use of the model, for copies with limits.
    public func current(type: String, id: Span<UInt8>, idHash: UInt64, isUse: Bool = true) -> CellRecord? {
        guard let table = cache.existingTable(type) else { return nil }
        let hash = SlotArray.hash(idHash: idHash)
        return table.pending.record(hash, id) ?? table.shards.record(hash, id, isUse: isUse)
    }
}

/// The writer's scratch memory.
// Unchecked because it is touched by one thread at a time: whoever holds the cache's writer lock.
final class Writer: @unchecked Sendable {
    var plan = MergePlan()
    var tally = CommitTally()
    /// The commit in progress evicts models, so that others are told of it than of changes.
    var isEvicting = false
    /// True once ``journal`` notes every change.
    var isJournaling = false
    /// The changes since the journal was taken last.
    var journal: [JournalEntry] = []
    /// Where sections return the records and the memory that observers no longer need.
    let sectionMemory = SectionMemory()
    /// Observers may have been given a section, so ``sectionMemory`` may have something to take back.
    var hasGathered = false
    /// Memory for the next sections.
    var spareParts: [SectionMemory.Part] = []
    /// Finds the models that a batch changes more than once.
    var repeats = RepeatFilter()
    /// The tables that the commit in progress touches, in the order of the first touch.
    var tables: [TypeTable] = []
    /// The table that was touched last, also by an earlier commit.
    private var recent: TypeTable?

    deinit { for part in spareParts { part.deallocate() } }

    /// Takes the memory of replaced records back, for all entries in one call: each access to ``plan`` is checked for
    /// exclusivity at run time.
    func takeBack(_ replaced: inout [Pending]) {
        for index in replaced.indices { replaced[index].giveBack(to: &plan) }
    }

    /// The table of `type`, noted as touched.
    func table(_ type: String, _ cache: ModelCache) -> TypeTable {
        if let last = tables.last, last.name == type { return last }
        if let known = tables.first(where: { $0.name == type }) { return known }
        let table = if let recent, recent.name == type { recent } else { cache.makeTable(type) }
        recent = table
        tables.append(table)
        return table
    }

    /// The same table, noted as touched.
    func table(_ table: TypeTable) -> TypeTable {
        if !tables.contains(where: { $0 === table }) { tables.append(table) }
        return table
    }
}
