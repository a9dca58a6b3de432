public import ModelRecord

/// Commits of one batch, as publishers and replicas make them without end.
///
/// Where no snapshot is open, a commit need not keep the new records beside the old ones until all are made: each
/// update is merged where it belongs at once, and a record that nobody has is written over in its place; for those who
/// are to be told of it, what gave way is kept (`UndoLog`). To snapshots and observers it is one step all the same, as
/// the cut is held from the first update to the last, so that none is opened or registered in between. Point reads of
/// one model see it before or after the batch, as always: where a batch changes a model twice, maybe as a transaction,
/// the updates of that model take the long way, behind the others.
extension ModelCache {
    /// Merges the updates of a batch, in one atomic step: what ``commit(_:type:)`` does, for less where no snapshot is
    /// open and there is no journal.
    ///
    /// From any thread; waits for a commit of another thread. Must not be called from the body of a commit.
    /// - Parameter table: a table of this cache.
    /// - Complexity: O(*updates*)
    @discardableResult
    @_spi(CacheWriting)
    public func commit(_ batch: borrowing UpdateBatchView, in table: ModelTable) -> BatchSummary {
        var changes: BatchChanges?
        return commit(batch, in: table, noting: &changes)
    }

    /// Merges of the updates of a batch what differs from the records, in one atomic step: for their origin.
    /// - Parameter changes: tells what is left to be sent.
    @discardableResult
    @_spi(CacheWriting)
    public func commit(
        changesOf batch: borrowing UpdateBatchView, in table: ModelTable, noting changes: inout BatchChanges
    ) -> BatchSummary {
        var noted: BatchChanges? = changes
        // One owner at a time, lest the buffers are copied.
        changes = BatchChanges(byteCountMax: changes.byteCountMax)
        let summary = commit(batch, in: table, noting: &noted)
        if let noted { changes = noted }
        return summary
    }

    private func commit(
        _ batch: borrowing UpdateBatchView, in table: ModelTable, noting changes: inout BatchChanges?
    ) -> BatchSummary {
        precondition(table.table.owner == ObjectIdentifier(self), "the table belongs to another cache")
        // What was replaced while others had it. Released outside of the locks, as with the last reference goes what is
        // kept on a record.
        var leftover: [CellRecord] = []
        if let summary = commitAtOnce(batch, in: table.table, noting: &changes, &leftover) { return summary }
        let batch = copy batch
        let summary = commit { $0.apply(batch, in: table.table, noting: &changes) }.1
        var outcome = BatchSummary(summary)
        outcome.changed = batch.count - summary.unchanged
        return outcome
    }

    /// More updates would hold up whoever opens a snapshot for too long: about a tenth of a millisecond is not.
    static let updatesAtOnceMax = 512

    /// - Parameter leftover: released by the caller, outside of the locks.
    /// - Returns: nil, and nothing has happened, where a snapshot or a journal keeps what was, where there are too many
    ///   updates, and where the batch of an origin changes a model twice.
    private func commitAtOnce(
        _ batch: borrowing UpdateBatchView, in table: TypeTable, noting changes: inout BatchChanges?,
        _ leftover: inout [CellRecord]
    ) -> BatchSummary? {
        guard batch.count <= ModelCache.updatesAtOnceMax else { return nil }
        // A copy of a view is a few words; a closure may not hold on to a borrowed one.
        let batch = copy batch
        var woken: Wakeups?
        let summary = writerLock.withLock { _ -> BatchSummary? in
            guard !writer.isJournaling else { return nil }
            let repeats = writer.repeats.repeats(in: batch)
            // What is noted is noted in the order of the batch.
            guard repeats.isEmpty || changes == nil else { return nil }
            var deliveries: Deliveries?
            let summary = cut.withLock { cut -> BatchSummary? in
                guard cut.epochs.newest == nil else { return nil }
                var step = cut.begin(table, count: batch.count, writer)
                writer.merge(batch, into: table, &step, noting: &changes, passing: repeats, &leftover)
                if !repeats.isEmpty { writer.merge(repeats, of: batch, into: table, &step, &leftover) }
                step.summary.droppedCells = writer.plan.takeDroppedCells()
                deliveries = cut.finish(step, of: table, writer)
                return step.summary
            }
            if let deliveries, !deliveries.isEmpty { woken = deliveries.send() }
            writer.takeBack()
            return summary
        }
        woken?.wake()
        return summary
    }
}

extension Cut {
    /// Begins a step that changes records of `table` at once.
    mutating func begin(_ table: TypeTable, count: Int, _ writer: Writer) -> UpdateStep {
        reserveCounts(of: table)
        return UpdateStep(
            counts: counts(of: table), gathering: Gathering(table, observers, capacity: count, writer))
    }

    /// Ends it.
    /// - Returns: what is to be told; nil where nobody is.
    mutating func finish(_ step: UpdateStep, of table: TypeTable, _ writer: Writer) -> Deliveries? {
        counts[table.number] = step.counts
        if step.summary.changed > 0 { commitNumber += 1 }
        return step.gathering.isWatched ? deliveries(of: step.gathering, table, writer) : nil
    }

    /// What was gathered of one type, as it is to be told.
    func deliveries(of gathering: Gathering, _ table: TypeTable, _ writer: Writer) -> Deliveries {
        var deliveries = Deliveries(commitNumber: commitNumber)
        deliveries.add(gathering, of: table.name, observers, writer)
        deliveries.finish(everything: observers.everything)
        return deliveries
    }
}

/// What updates that are merged at once come to.
struct UpdateStep {
    var summary = BatchSummary()
    var counts: TableCounts
    /// For those who are to be told.
    var gathering: Gathering

    /// Writes what was prepared over the record at `slot`, if that can be.
    /// - Parameter seat: who is to be told.
    @inline(__always)
    mutating func overwrite(
        _ slots: SlotArray, at slot: Int, _ update: borrowing UpdateView, _ plan: borrowing MergePlan, _ seat: Seat?,
        of table: TypeTable
    ) -> Bool {
        guard let seat else { return slots.overwrite(at: slot, update, plan) }
        return gathering.overwrite(slots, at: slot, update, plan, seat, of: table.name)
    }
}
