@_spi(RecordWriting) public import ModelRecord

/// Commits of one batch: the way that publishers and replicas take for nearly all of their updates.
///
/// Where no snapshot is open and there is no journal, the commit merges each update in its place at once. It does not
/// keep the new records beside the old ones until all are made. It overwrites a record in place where nobody else has
/// it; where the model is observed, the undo log keeps the old state (`UndoLog`).
///
/// For snapshots and observers the batch is still one step: the commit holds the cut from the first update to the last,
/// so no snapshot is opened and no observer registered in between. A point read sees its model before or after the
/// batch. Where a batch changes a model twice, the updates of that model take the two phases, after the others, so that
/// no read sees half of them.
extension ModelCache {
    /// Merges the updates of a batch in one atomic step: the same as ``commit(_:type:)``, at a lower cost where no
    /// snapshot is open and there is no journal.
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

    /// Merges the pairs of a batch that differ from the records, in one atomic step. For the origin of the batch.
    /// - Parameter changes: notes the pairs that differ, which are left to be sent.
    @discardableResult
    @_spi(CacheWriting)
    public func commit(
        changesOf batch: borrowing UpdateBatchView, in table: ModelTable, noting changes: inout BatchChanges
    ) -> BatchSummary {
        var noted: BatchChanges? = changes
        // The buffers have one owner at a time, otherwise an append would copy them.
        changes = BatchChanges(byteCountMax: changes.byteCountMax)
        let summary = commit(batch, in: table, noting: &noted)
        if let noted { changes = noted }
        return summary
    }

    private func commit(
        _ batch: borrowing UpdateBatchView, in table: ModelTable, noting changes: inout BatchChanges?
    ) -> BatchSummary {
        precondition(table.table.owner == ObjectIdentifier(self), "the table belongs to another cache")
        // The replaced records that others still had. They are released outside of the locks, because the last release
        // of a record also releases the values that are kept on it.
        var leftover: [CellRecord] = []
        if let summary = commitAtOnce(batch, in: table.table, noting: &changes, &leftover) { return summary }
        let batch = copy batch
        let summary = commit { $0.apply(batch, in: table.table, noting: &changes) }.1
        var outcome = BatchSummary(summary)
        outcome.changed = batch.count - summary.unchanged
        return outcome
    }

    /// The size of a batch above which the cut would be held too long. So many updates take about a tenth of a
    /// millisecond, for which a thread that opens a snapshot has to wait.
    static let updatesAtOnceMax = 512

    /// Merges a batch in place, under the cut.
    /// - Parameter leftover: takes replaced records, which the caller releases outside of the locks.
    /// - Returns: nil, with nothing changed, where a snapshot is open, where there is a journal, where there are too
    ///   many updates, and where an origin's batch changes a model twice.
    private func commitAtOnce(
        _ batch: borrowing UpdateBatchView, in table: TypeTable, noting changes: inout BatchChanges?,
        _ leftover: inout [CellRecord]
    ) -> BatchSummary? {
        guard batch.count <= ModelCache.updatesAtOnceMax else { return nil }
        // The closure cannot capture a borrowed view, and a copy of one is a few words.
        let batch = copy batch
        var woken: Wakeups?
        let summary = writerLock.withLock { _ -> BatchSummary? in
            guard !writer.isJournaling else { return nil }
            let repeats = writer.repeats.repeats(in: batch)
            // `changes` has to be in the order of the batch, and repeated updates are merged behind the others.
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
    /// Begins a step that changes records of `table` in place.
    mutating func begin(_ table: TypeTable, count: Int, _ writer: Writer) -> UpdateStep {
        reserveCounts(of: table)
        return UpdateStep(
            counts: counts(of: table), gathering: Gathering(table, observers, capacity: count, writer))
    }

    /// Ends a step of ``begin(_:count:_:)``.
    /// - Returns: the deliveries for observers; nil where the type has none.
    mutating func finish(_ step: UpdateStep, of table: TypeTable, _ writer: Writer) -> Deliveries? {
        counts[table.number] = step.counts
        if step.summary.changed > 0 { commitNumber += 1 }
        return step.gathering.isWatched ? deliveries(of: step.gathering, table, writer) : nil
    }

    /// The deliveries of the changes that were gathered of one type.
    func deliveries(of gathering: Gathering, _ table: TypeTable, _ writer: Writer) -> Deliveries {
        var deliveries = Deliveries(commitNumber: commitNumber)
        deliveries.add(gathering, of: table.name, observers, writer)
        deliveries.finish(everything: observers.everything)
        return deliveries
    }
}

/// The state of a batch that is being merged in place.
struct UpdateStep {
    var summary = BatchSummary()
    var counts: TableCounts
    /// Takes the changes for observers.
    var gathering: Gathering

    /// Overwrites the record at `slot` with what was prepared, if it can be overwritten.
    /// - Parameter seat: the seat of the observer that is to be told; nil where none is.
    @inline(__always)
    mutating func overwrite(
        _ slots: SlotArray, at slot: Int, _ update: borrowing UpdateView, _ plan: borrowing MergePlan, _ seat: Seat?,
        of table: TypeTable
    ) -> Bool {
        guard let seat else { return slots.overwrite(at: slot, update, plan) }
        return gathering.overwrite(slots, at: slot, update, plan, seat, of: table.name)
    }
}
