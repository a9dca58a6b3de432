public import ModelRecord

/// What came of the updates of one batch.
public struct BatchSummary: Hashable, Sendable {
    /// Updates that have changed something.
    public var changed = 0
    /// Updates that changed nothing: duplicates, or older than what was there.
    public var unchanged = 0
    /// Cells that came with the version and not the value of the cell that was there: never from a correct origin.
    public var conflictingCells = 0

    public init(changed: Int = 0, unchanged: Int = 0, conflictingCells: Int = 0) {
        (self.changed, self.unchanged, self.conflictingCells) = (changed, unchanged, conflictingCells)
    }

    /// The same of a commit, which tells of models in the place of updates.
    public init(_ summary: CommitSummary) {
        self.init(
            changed: summary.changed, unchanged: summary.unchanged, conflictingCells: summary.conflictingCells)
    }
}

/// Commits of one batch, as publishers and replicas make them without end.
///
/// Where nobody is to be told of what changes, and nobody holds on to what was, a commit need not keep the new records
/// beside the old ones until all are made: each update is merged where it belongs at once, and a record that nobody
/// has is written over in its place. To snapshots and observers it is one step all the same, as the cut is held from
/// the first update to the last, so that none is opened or registered in between. Point reads of one model see it
/// before or after the batch, as always: a batch that changes a model twice, maybe as a transaction, takes the long
/// way.
extension ModelCache {
    /// Merges the updates of a batch, in one atomic step: what ``commit(_:type:)`` does, for less where nobody observes
    /// the type, no snapshot is open, there is no journal and no model comes twice.
    ///
    /// From any thread; waits for a commit of another thread. Must not be called from the body of a commit.
    /// - Parameter table: a table of this cache.
    /// - Complexity: O(*updates*)
    @discardableResult
    public func commit(_ batch: borrowing UpdateBatchView, in table: Table) -> BatchSummary {
        var changes: BatchChanges?
        return commit(batch, in: table, noting: &changes)
    }

    /// Merges of the updates of a batch what differs from the records, in one atomic step: for their origin.
    /// - Parameter changes: tells what is left to be sent.
    @discardableResult
    public func commit(
        changesOf batch: borrowing UpdateBatchView, in table: Table, noting changes: inout BatchChanges
    ) -> BatchSummary {
        var noted: BatchChanges? = changes
        // One owner at a time, lest the buffers are copied.
        changes = BatchChanges(byteCountMax: changes.byteCountMax)
        let summary = commit(batch, in: table, noting: &noted)
        if let noted { changes = noted }
        return summary
    }

    private func commit(
        _ batch: borrowing UpdateBatchView, in table: Table, noting changes: inout BatchChanges?
    ) -> BatchSummary {
        precondition(table.table.owner == ObjectIdentifier(self), "the table belongs to another cache")
        // What was replaced while others had it. Released outside of the locks, as with the last reference goes what is
        // kept on a record.
        var leftover: [Record] = []
        if let summary = commitAtOnce(batch, in: table.table, noting: &changes, &leftover) { return summary }
        let batch = copy batch
        let summary = commit { $0.apply(batch, in: table.table, noting: &changes) }.1
        return BatchSummary(
            changed: batch.count - summary.unchanged, unchanged: summary.unchanged,
            conflictingCells: summary.conflictingCells)
    }

    /// More updates would hold up whoever opens a snapshot for too long: about a tenth of a millisecond is not.
    static let updatesAtOnceMax = 512

    /// - Parameter leftover: released by the caller, outside of the locks.
    /// - Returns: nil, and nothing has happened, where somebody watches.
    private func commitAtOnce(
        _ batch: borrowing UpdateBatchView, in table: TypeTable, noting changes: inout BatchChanges?,
        _ leftover: inout [Record]
    ) -> BatchSummary? {
        guard batch.count <= ModelCache.updatesAtOnceMax else { return nil }
        // A copy of a view is a few words; a closure may not hold on to a borrowed one.
        let batch = copy batch
        return writerLock.withLock { _ in
            guard !writer.isJournaling else { return nil }
            return cut.withLock { cut -> BatchSummary? in
                guard cut.isUnwatched(table), !writer.repeats.hasRepeats(batch) else { return nil }
                cut.reserveCounts(of: table)
                var step = UpdateStep(cut.counts(of: table))
                writer.merge(batch, into: table, &step, noting: &changes, &leftover)
                cut.finish(step, of: table)
                // Of what observers were told as long as there were any.
                writer.takeBack()
                return step.summary
            }
        }
    }
}

extension Cut {
    /// Nobody is to be told of changes of this type, and nobody sees what was.
    func isUnwatched(_ table: TypeTable) -> Bool {
        epochs.newest == nil && !observers.mayConcern(table)
    }

    /// Ends a step that has changed records of `table` at once.
    mutating func finish(_ step: UpdateStep, of table: TypeTable) {
        counts[table.number] = step.counts
        if step.summary.changed > 0 { commitNumber += 1 }
    }
}

/// What updates that are merged at once come to.
struct UpdateStep {
    var summary = BatchSummary()
    var counts: TableCounts

    init(_ counts: TableCounts) { self.counts = counts }
}
