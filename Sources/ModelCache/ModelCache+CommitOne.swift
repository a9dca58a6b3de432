public import ModelRecord

extension ModelCache {
    /// Merges one update in a commit of its own: what ``commit(_:type:)`` does for a batch of one, for less.
    ///
    /// From any thread; waits for a commit of another thread. Must not be called from the body of a commit.
    /// - Parameter table: a table of this cache.
    @discardableResult
    public func commit(_ update: borrowing UpdateView, in table: Table) -> CommitSummary {
        commit(update, in: table, keepingEqual: false) { _ in true }
    }

    /// Merges of an update what differs from the record, in a commit of its own.
    ///
    /// For the origin of the update: it tells what is worth sending, in one pass and one look-up.
    /// - Parameters:
    ///   - byteCountMax: a record that would be larger is not made; the update is refused then.
    ///   - written: the pairs that differ are appended here.
    /// - Returns: what came of it, and how many pairs differ; nil when the update was refused.
    public func commitChanges(
        of update: borrowing UpdateView, in table: Table, byteCountMax: Int, written: inout [UInt8]
    ) -> (summary: CommitSummary, count: Int)? {
        var count = 0
        var isRefused = false
        let fields = update.fields
        let summary = commit(update, in: table, keepingEqual: true) { madeByteCount in
            isRefused = madeByteCount > byteCountMax
            if !isRefused { count = writer.plan.appendWritten(of: fields, to: &written) }
            return !isRefused
        }
        return isRefused ? nil : (summary, count)
    }

    /// - Parameter isWanted: asked with the size of the new record; where it says no the model stays as it is.
    private func commit(
        _ update: borrowing UpdateView, in table: Table, keepingEqual: Bool, _ isWanted: (Int) -> Bool
    ) -> CommitSummary {
        precondition(table.table.owner == ObjectIdentifier(self), "the table belongs to another cache")
        var summary = CommitSummary()
        var woken: Wakeups?
        // What is left of it is released outside of the locks.
        var replaced: Pending?
        let update = copy update
        writerLock.withLock { _ in
            woken = commit(update, in: table.table, keepingEqual: keepingEqual, isWanted, &summary, &replaced)
        }
        woken?.wake()
        replaced?.release()
        return summary
    }

    /// Under the writer lock.
    private func commit(
        _ update: UpdateView, in table: TypeTable, keepingEqual: Bool, _ isWanted: (Int) -> Bool,
        _ summary: inout CommitSummary, _ replaced: inout Pending?
    ) -> Wakeups? {
        let hash = SlotArray.hash(idHash: update.idHash)
        let slots = table.shards.slots(of: hash)
        let candidate = slots?.candidate(hash) ?? -1
        // All of the record at once, before its first line has told how much that is.
        if candidate >= 0, let address = unsafe slots?.address(at: candidate) {
            unsafe UnmanagedRecord.prefetch(address, byteCount: table.pending.lastRecordByteCount)
        }
        let slot = candidate < 0 ? -1 : slots?.find(hash, update.id, from: candidate) ?? -1
        let result =
            if slot >= 0, let slots {
                unsafe slots.applying(update, at: slot, plan: &writer.plan, keepingEqual: keepingEqual)
            } else {
                unsafe UnmanagedMerge(
                    Record.applying(update, to: nil, plan: &writer.plan, keepingEqual: keepingEqual))
            }
        unsafe summary.conflictingCells = result.conflictingCells
        guard let new = unsafe result.record, unsafe isWanted(new.byteCount) else {
            unsafe result.record?.release()
            summary.unchanged = 1
            summary.commitNumber = cut.withLock { $0.commitNumber }
            return nil
        }
        unsafe table.pending.lastRecordByteCount = new.storedByteCount
        var pending = unsafe Pending(
            new, hash, digestDelta: result.digestDelta, slot: slot, isVisible: result.isVisible,
            existed: slot >= 0 && slots?.exists(at: slot) ?? false)
        if writer.isJournaling { writer.note([pending], of: table.name) }
        summary.changed = 1
        summary.visible = pending.isVisible ? 1 : 0
        let deliveries = cut.withLock { cut in
            cut.commitNumber += 1
            summary.commitNumber = cut.commitNumber
            return publish(&pending, in: table, &cut)
        }
        let woken = deliveries?.send()
        pending.giveBack(to: &writer.plan)
        writer.takeBack()
        replaced = pending
        return woken
    }

    /// Exchanges the record of one model. Under the cut lock.
    /// - Returns: nil where nobody is told.
    private func publish(_ pending: inout Pending, in table: TypeTable, _ cut: inout Cut) -> Deliveries? {
        let hash = pending.hash
        table.digests[Int(hash &>> 56)] &+= pending.digestDelta
        cut.reserveCounts(of: table)
        cut.counts[table.number].existing += (pending.exists ? 1 : 0) - (pending.existed ? 1 : 0)
        let epoch = cut.epochs.newest
        if epoch != nil { cut.epochs.touch(table: table.number, shards: 1 &<< UInt64(Shards.index(of: hash))) }
        if pending.isVisible, cut.observers.mayConcern(table) {
            return publishObserved(&pending, in: table, epoch: epoch, &cut)
        }
        place(&pending, in: table, epoch: epoch, &cut)
        return nil
    }

    @inline(__always)
    private func place(_ pending: inout Pending, in table: TypeTable, epoch: UInt64?, _ cut: inout Cut) {
        if pending.slot >= 0 {
            table.shards.exchange(&pending, epoch: epoch)
        } else if let new = pending.record {
            table.shards.insert(new, hash: pending.hash, epoch: epoch)
            cut.counts[table.number].records += 1
        }
    }

    /// The same, of a model that somebody may want to be told of.
    @inline(never)
    private func publishObserved(
        _ pending: inout Pending, in table: TypeTable, epoch: UInt64?, _ cut: inout Cut
    ) -> Deliveries? {
        let gathering = Gathering(table, cut.observers, capacity: 1, writer)
        // The slot has a count of its own when it has been exchanged or inserted.
        let new = unsafe pending.held
        place(&pending, in: table, epoch: epoch, &cut)
        guard var gathering, let seat = gathering.seat(pending.hash), let new = unsafe new else { return nil }
        if pending.slot >= 0 {
            unsafe gathering.take(&pending.held, new, seat, of: table.name)
        } else {
            var old: UnmanagedRecord?
            unsafe gathering.take(&old, new, seat, of: table.name)
        }
        var deliveries = Deliveries(commitNumber: cut.commitNumber)
        deliveries.add(gathering, of: table.name, cut.observers, writer)
        deliveries.finish(everything: cut.observers.everything)
        return deliveries
    }
}
