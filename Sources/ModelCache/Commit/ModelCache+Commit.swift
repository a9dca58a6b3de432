@_spi(RecordWriting) public import ModelRecord

extension ModelCache {
    /// Merges the updates of a batch into the models of `type`, in one atomic step.
    ///
    /// From any thread; waits for a commit of another thread. Must not be called from the body of a commit.
    /// - Complexity: O(*updates*); about 400 ns each.
    @discardableResult
    @_spi(CacheWriting)
    public func commit(_ batch: borrowing UpdateBatchView, type: String) -> CommitSummary {
        // The closure cannot capture a borrowed view, and a copy of one is a few words.
        let batch = copy batch
        return commit { $0.apply(batch, type: type) }.1
    }

    /// Commits several batches and records of any types in one atomic step.
    ///
    /// From any thread; waits for a commit of another thread.
    /// - Parameter body: is called once, before this returns. It may read the cache, and must not commit to it.
    @discardableResult
    @_spi(CacheWriting)
    public func commit<R>(_ body: (inout Commit) -> R) -> (R, CommitSummary) {
        var outcome: R?
        var publication = Publication()
        writerLock.withLock { _ in
            var commit = Commit(self, writer)
            outcome = body(&commit)
            publish(&publication)
        }
        // Outside every lock: queues of observers are woken, and replaced records are released.
        publication.woken?.wake()
        recycle(&publication)
        guard let outcome else { preconditionFailure("the body of a commit has run") }
        return (outcome, publication.summary)
    }

    /// Makes the pending changes visible and hands them to the observers' inboxes. Under the writer lock.
    private func publish(_ publication: inout Publication) {
        var visible = 0
        for table in writer.tables {
            visible += table.pending.settle(table.shards)
            publication.batches.append((table, table.pending.take()))
        }
        if writer.isJournaling {
            for (table, entries) in publication.batches where table.bounds == nil {
                writer.note(entries, of: table.name)
            }
        }
        publication.summary.visible = visible
        publication.summary.unchanged = writer.tally.unchanged
        publication.summary.conflictingCells = writer.tally.conflictingCells
        publication.summary.droppedCells = writer.plan.takeDroppedCells()
        writer.tally = CommitTally()
        writer.tables.removeAll(keepingCapacity: true)

        let deliveries = cut.withLock { cut in
            publication.summary.changed = publication.batches.reduce(0) { $0 + $1.1.count }
            guard publication.summary.changed > 0 else {
                publication.summary.commitNumber = cut.commitNumber
                return Deliveries()
            }
            cut.commitNumber += 1
            publication.summary.commitNumber = cut.commitNumber
            guard writer.isEvicting else { return publish(&publication.batches, &cut) }
            // Only observers that asked for evictions are told. The lists are swapped, so that other commits need no
            // check.
            swap(&cut.observers, &cut.evictionObservers)
            defer { swap(&cut.observers, &cut.evictionObservers) }
            return publish(&publication.batches, &cut)
        }
        writer.isEvicting = false
        if !deliveries.isEmpty { publication.woken = deliveries.send() }
    }

    /// Exchanges the records of all tables. Under the cut lock.
    private func publish(_ batches: inout [(TypeTable, [Pending])], _ cut: inout Cut) -> Deliveries {
        var deliveries = Deliveries(commitNumber: cut.commitNumber)
        let epoch = cut.epochs.newest
        for position in batches.indices {
            let table = batches[position].0
            var gathering = Gathering(table, cut.observers, capacity: batches[position].1.count, writer)
            cut.reserveCounts(of: table)
            let shards = table.publish(
                &batches[position].1, epoch: epoch, gathering: &gathering, counts: &cut.counts[table.number])
            if epoch != nil { cut.epochs.touch(table: table.number, shards: shards) }
            deliveries.add(gathering, of: table.name, cut.observers, writer)
        }
        deliveries.finish(everything: cut.observers.everything)
        return deliveries
    }

    /// Releases the records that a commit replaced, and keeps their memory for the next commit.
    private func recycle(_ publication: inout Publication) {
        for position in publication.batches.indices {
            var entries = exchange(&publication.batches[position].1, with: [])
            // Where another commit holds the lock already, this memory is not worth waiting for.
            _ = writerLock.withLockIfAvailable { _ in
                writer.takeBack(&entries)
                writer.takeBack()
            }
            for index in entries.indices { entries[index].release() }
            guard entries.capacity > 0, entries.capacity <= Publication.spareCapacityMax else { continue }
            entries.removeAll(keepingCapacity: true)
            let table = publication.batches[position].0
            _ = writerLock.withLockIfAvailable { _ in table.pending.give(entries) }
        }
    }
}

/// The part of a commit that is done after the locks are free.
private struct Publication {
    /// The tables with their entries, which hold the replaced records after the exchange.
    var batches: [(TypeTable, [Pending])] = []
    var woken: Wakeups?
    var summary = CommitSummary()

    /// The capacity of entries above which their memory is not kept for the next commit.
    static let spareCapacityMax = 65_536
}

extension TypeTable {
    /// Exchanges the records of `pending` with those in the slots. Under the cut lock and the writer lock.
    /// - Parameters:
    ///   - epoch: the epoch for which the replaced records are kept, if a snapshot is open.
    ///   - gathering: takes the changes that observers are to be told.
    /// - Returns: the shards that were touched, a bit each.
    func publish(
        _ pending: inout [Pending], epoch: UInt64?, gathering: inout Gathering, counts: inout TableCounts
    ) -> UInt64 {
        var touched: UInt64 = 0
        var existing = 0
        var hasNew = false
        var removals: [(hash: UInt64, record: CellRecord)] = []
        for position in pending.indices {
            touched |= 1 &<< UInt64(Shards.index(of: pending[position].hash))
            existing += (pending[position].isPresent ? 1 : 0) - (pending[position].wasPresent ? 1 : 0)
            guard pending[position].slot >= 0 else {
                hasNew = true
                continue
            }
            if pending[position].isRemoval, let record = pending[position].record {
                removals.append((pending[position].hash, record))
            }
            gathering.prefetch(pending[min(position &+ Gathering.ahead, pending.count &- 1)].hash)
            let seat = pending[position].isVisible ? gathering.seat(pending[position].hash) : nil
            // The slot owns the new record from here on.
            let new = unsafe pending[position].held
            shards.exchange(&pending[position], epoch: epoch)
            if let bounds, let new = unsafe new {
                unsafe bounds.count(new, insteadOf: pending[position].held)
            }
            if let seat, let new = unsafe new {
                unsafe gathering.take(&pending[position].held, new, seat, of: name)
            }
        }
        counts.existing += existing
        add(pending, to: &digests)
        // New models come last, as a growing shard moves its slots.
        if hasNew { insert(pending, epoch: epoch, &gathering, &counts) }
        if !removals.isEmpty { remove(removals, epoch: epoch, counts: &counts) }
        return touched
    }

    private func add(_ pending: [Pending], to digests: inout [UInt64]) {
        for entry in pending { digests[Int(entry.hash &>> 56)] &+= entry.digestDelta }
    }

    private func insert(
        _ pending: [Pending], epoch: UInt64?, _ gathering: inout Gathering, _ counts: inout TableCounts
    ) {
        for entry in pending where entry.slot < 0 {
            guard let new = entry.record else { continue }
            if let bounds, let held = unsafe entry.held { unsafe bounds.count(held, insteadOf: nil) }
            shards.insert(new, hash: entry.hash, epoch: epoch)
            counts.records += 1
            guard entry.isVisible, let seat = gathering.seat(entry.hash), let held = unsafe entry.held else { continue }
            var old: UnmanagedRecord?
            unsafe gathering.take(&old, held, seat, of: name)
        }
    }
}
