@_spi(RecordWriting) public import ModelRecord

extension ModelCache {
    /// Merges one update in a commit of its own: the same as ``commit(_:type:)`` for a batch of one, at a lower cost.
    ///
    /// The record is overwritten in place where it keeps its size and nobody else has it. A new record is made where a
    /// snapshot is open, where there is a journal, and where the observers of the model need whole records.
    ///
    /// From any thread; waits for a commit of another thread. Must not be called from the body of a commit.
    /// - Parameter table: a table of this cache.
    @discardableResult
    @_spi(CacheWriting)
    public func commit(_ update: borrowing UpdateView, in table: ModelTable) -> CommitSummary {
        commit(update, in: table, keepingEqual: false) { _, _ in true }
    }

    /// Merges the pairs of an update that differ from the record, in a commit of its own.
    ///
    /// For the origin of the update, which sends only these pairs. One look-up and one pass do both.
    /// - Parameters:
    ///   - byteCountMax: the size limit of the record, in bytes. An update that would exceed it is refused.
    ///   - written: the encoded pairs that differ are appended here, unless all pairs of the update do.
    /// - Returns: the summary, how many pairs differ, and whether all pairs of the update do, so that its own bytes can
    ///   be sent; nil when the update was refused.
    @_spi(CacheWriting)
    public func commitChanges(
        of update: borrowing UpdateView, in table: ModelTable, byteCountMax: Int, written: inout [UInt8]
    ) -> (summary: CommitSummary, count: Int, isWhole: Bool)? {
        var count = 0
        var isWhole = false
        var isRefused = false
        let (fields, fieldCount) = (update.fields, update.fieldCount)
        let summary = commit(update, in: table, keepingEqual: true) { madeByteCount, plan in
            isRefused = madeByteCount > byteCountMax || plan.hasTooManyCells
            guard !isRefused else { return false }
            isWhole = plan.hasWritten(all: fieldCount)
            count = isWhole ? fieldCount : plan.appendWritten(of: fields, to: &written)
            return true
        }
        return isRefused ? nil : (summary, count, isWhole)
    }

    /// Decides whether a prepared merge takes place, by the size of the new record in bytes and by the plan. On false
    /// the model stays as it is.
    private typealias Wish = (Int, borrowing MergePlan) -> Bool

    private func commit(
        _ update: borrowing UpdateView, in table: ModelTable, keepingEqual: Bool, _ isWanted: Wish
    ) -> CommitSummary {
        precondition(table.table.owner == ObjectIdentifier(self), "the table belongs to another cache")
        var end = CommitEnd()
        let update = copy update
        writerLock.withLock { _ in
            // The plan is passed on, as each access to it is checked for exclusivity at run time.
            commit(update, in: table.table, plan: &writer.plan, keepingEqual: keepingEqual, isWanted, &end)
            if end.summary.changed > 0 { writer.takeBack() }
        }
        end.woken?.wake()
        end.replaced?.release()
        return end.summary
    }

    /// Under the writer lock.
    private func commit(
        _ update: UpdateView, in table: TypeTable, plan: inout MergePlan, keepingEqual: Bool, _ isWanted: Wish,
        _ end: inout CommitEnd
    ) {
        let hash = SlotArray.hash(idHash: update.idHash)
        let slots = table.shards.slots(of: hash)
        let candidate = slots?.candidate(hash) ?? -1
        // Asks for all of the record at once, before its first line has told its size.
        if candidate >= 0, let address = unsafe slots?.address(at: candidate) {
            unsafe UnmanagedRecord.prefetch(address, byteCount: table.recordByteCount)
        }
        guard let slots, candidate >= 0, case let slot = slots.find(hash, update.id, from: candidate), slot >= 0 else {
            if let bounds = table.bounds, bounds.keepsBack(update, hash, plan: &plan) {
                return leave(&end)
            }
            let result = unsafe UnmanagedMerge(
                CellRecord.applying(update, to: nil, plan: &plan, keepingEqual: keepingEqual))
            return unsafe replace(result, hash, slot: -1, wasPresent: false, in: table, plan: &plan, isWanted, &end)
        }
        var result = unsafe slots.prepare(update, at: slot, plan: &plan, keepingEqual: keepingEqual)
        if unsafe result.isPrepared {
            if !writer.isJournaling, let byteCount = slots.overwritableByteCount(at: slot, plan) {
                guard isWanted(byteCount, plan) else { return leave(&end) }
                return unsafe overwrite(result, update, hash, slots, at: slot, in: table, plan: &plan, &end)
            }
            unsafe slots.finish(&result, update, at: slot, plan: &plan)
        }
        unsafe replace(
            result, hash, slot: slot, wasPresent: slots.isPresent(at: slot), in: table, plan: &plan, isWanted, &end)
    }

    /// Ends a commit that leaves the model as it is.
    private func leave(_ end: inout CommitEnd) {
        end.summary.unchanged = 1
        end.summary.commitNumber = cut.withLock { $0.commitNumber }
    }

    /// Ends a commit whose record keeps its size. Overwrites the record where nobody else has it, otherwise makes a new
    /// one.
    private func overwrite(
        _ result: UnmanagedMerge, _ update: UpdateView, _ hash: UInt64, _ slots: SlotArray, at slot: Int,
        in table: TypeTable, plan: inout MergePlan, _ end: inout CommitEnd
    ) {
        end.summary.changed = 1
        end.summary.visible = unsafe result.isVisible ? 1 : 0
        var replaced: Pending?
        let deliveries = cut.withLock { cut -> Deliveries? in
            cut.commitNumber += 1
            end.summary.commitNumber = cut.commitNumber
            let isTold = unsafe result.isVisible && cut.observers.concern(table, hash)
            if cut.epochs.newest == nil {
                var told: Deliveries?
                let isDone =
                    isTold
                    ? overwriteObserved(slots, at: slot, update, plan, hash, in: table, &cut, &told)
                    : slots.overwrite(at: slot, update, plan)
                if isDone {
                    unsafe table.digests[Int(hash &>> 56)] &+= result.digestDelta
                    return told
                }
            }
            var result = unsafe result
            unsafe slots.finish(&result, update, at: slot, plan: &plan)
            guard let new = unsafe result.record else { preconditionFailure("what was prepared makes a record") }
            var pending = unsafe Pending(
                new, hash, digestDelta: result.digestDelta, slot: slot, isVisible: result.isVisible, wasPresent: true)
            let deliveries = publish(&pending, in: table, isTold: isTold, &cut)
            replaced = pending
            return deliveries
        }
        end.woken = deliveries?.send()
        guard var replaced else { return }
        replaced.giveBack(to: &plan)
        end.replaced = replaced
    }

    /// Overwrites the record of a model that is observed, and keeps the old state in the undo log.
    /// - Returns: whether it was done.
    @inline(never)
    private func overwriteObserved(
        _ slots: SlotArray, at slot: Int, _ update: UpdateView, _ plan: borrowing MergePlan, _ hash: UInt64,
        in table: TypeTable, _ cut: inout Cut, _ told: inout Deliveries?
    ) -> Bool {
        var gathering = Gathering(table, cut.observers, capacity: 1, writer)
        guard let seat = gathering.seat(hash) else { return false }
        let isDone = gathering.overwrite(slots, at: slot, update, plan, seat, of: table.name)
        // An unused gathering is empty, and its memory goes back to the writer.
        let deliveries = cut.deliveries(of: gathering, table, writer)
        if isDone { told = deliveries }
        return isDone
    }

    /// Ends a commit that has made a new record, or whose update changed nothing.
    private func replace(
        _ result: UnmanagedMerge, _ hash: UInt64, slot: Int, wasPresent: Bool, in table: TypeTable,
        plan: inout MergePlan, _ isWanted: Wish, _ end: inout CommitEnd
    ) {
        unsafe end.summary.conflictingCells = result.conflictingCells
        end.summary.droppedCells = plan.takeDroppedCells()
        guard let new = unsafe result.record, unsafe isWanted(new.byteCount, plan) else {
            unsafe result.record?.release()
            return leave(&end)
        }
        unsafe table.recordByteCount = new.storedByteCount
        var pending = unsafe Pending(
            new, hash, digestDelta: result.digestDelta, slot: slot, isVisible: result.isVisible, wasPresent: wasPresent)
        if writer.isJournaling, table.bounds == nil { writer.note([pending], of: table.name) }
        end.summary.changed = 1
        end.summary.visible = pending.isVisible ? 1 : 0
        let deliveries = cut.withLock { cut in
            cut.commitNumber += 1
            end.summary.commitNumber = cut.commitNumber
            let isTold = pending.isVisible && cut.observers.concern(table, hash)
            return publish(&pending, in: table, isTold: isTold, &cut)
        }
        end.woken = deliveries?.send()
        pending.giveBack(to: &plan)
        end.replaced = pending
    }

    /// Exchanges the record of one model. Under the cut lock.
    /// - Parameter isTold: some observer is to be told of the change.
    /// - Returns: nil where no observer is told.
    private func publish(
        _ pending: inout Pending, in table: TypeTable, isTold: Bool, _ cut: inout Cut
    ) -> Deliveries? {
        let hash = pending.hash
        table.digests[Int(hash &>> 56)] &+= pending.digestDelta
        cut.reserveCounts(of: table)
        cut.counts[table.number].existing += (pending.isPresent ? 1 : 0) - (pending.wasPresent ? 1 : 0)
        let epoch = cut.epochs.newest
        if epoch != nil { cut.epochs.touch(table: table.number, shards: 1 &<< UInt64(Shards.index(of: hash))) }
        if isTold { return publishObserved(&pending, in: table, epoch: epoch, &cut) }
        place(&pending, in: table, epoch: epoch, &cut)
        return nil
    }

    @inline(__always)
    private func place(_ pending: inout Pending, in table: TypeTable, epoch: UInt64?, _ cut: inout Cut) {
        if pending.slot >= 0 {
            let new = unsafe pending.held
            table.shards.exchange(&pending, epoch: epoch)
            if let bounds = table.bounds, let new = unsafe new {
                unsafe bounds.count(new, insteadOf: pending.held)
            }
        } else if let new = pending.record {
            if let bounds = table.bounds, let held = unsafe pending.held {
                unsafe bounds.count(held, insteadOf: nil)
            }
            table.shards.insert(new, hash: pending.hash, epoch: epoch)
            cut.counts[table.number].records += 1
        }
    }

    /// Exchanges the record of one model that is observed.
    @inline(never)
    private func publishObserved(
        _ pending: inout Pending, in table: TypeTable, epoch: UInt64?, _ cut: inout Cut
    ) -> Deliveries? {
        var gathering = Gathering(table, cut.observers, capacity: 1, writer)
        // After the exchange or the insertion the slot has a count of its own, so this reference stays valid.
        let new = unsafe pending.held
        place(&pending, in: table, epoch: epoch, &cut)
        guard let seat = gathering.seat(pending.hash), let new = unsafe new else { return nil }
        if pending.slot >= 0 {
            unsafe gathering.take(&pending.held, new, seat, of: table.name)
        } else {
            var old: UnmanagedRecord?
            unsafe gathering.take(&old, new, seat, of: table.name)
        }
        return cut.deliveries(of: gathering, table, writer)
    }
}

/// The part of a commit of one update that is done after the locks are free.
private struct CommitEnd {
    var summary = CommitSummary()
    var woken: Wakeups?
    /// The old record, where somebody else still has it.
    var replaced: Pending?
}
