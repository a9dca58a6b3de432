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
        let summary = commit(update, in: table, keepingEqual: true) { made in
            isRefused = made.byteCount > byteCountMax
            if !isRefused { count = writer.plan.appendWritten(of: fields, to: &written) }
            return !isRefused
        }
        return isRefused ? nil : (summary, count)
    }

    private func commit(
        _ update: borrowing UpdateView, in table: Table, keepingEqual: Bool, _ isWanted: (Record) -> Bool
    ) -> CommitSummary {
        precondition(table.table.owner == ObjectIdentifier(self), "the table belongs to another cache")
        var summary = CommitSummary()
        var woken: [Inbox] = []
        // Released outside of the locks.
        var retired: Record?
        let update = copy update
        writerLock.withLock { _ in
            woken = commit(
                update, in: table.table, keepingEqual: keepingEqual, isWanted, &summary, &retired)
        }
        for inbox in woken { inbox.wake() }
        return summary
    }

    /// Under the writer lock.
    private func commit(
        _ update: UpdateView, in table: TypeTable, keepingEqual: Bool, _ isWanted: (Record) -> Bool,
        _ summary: inout CommitSummary, _ retired: inout Record?
    ) -> [Inbox] {
        let hash = SlotArray.hash(idHash: update.idHash)
        let slots = table.shards.slots(of: hash)
        let candidate = slots?.candidate(hash) ?? -1
        // All of the record at once, before its first line has told how much that is.
        if candidate >= 0 { slots?.prefetchRecord(at: candidate, byteCount: table.pending.lastRecordByteCount) }
        let slot = candidate < 0 ? -1 : slots?.find(hash, update.id, from: candidate) ?? -1
        let old = slot < 0 ? nil : slots?.record(at: slot)
        let result = Record.applying(update, to: old, plan: &writer.plan, keepingEqual: keepingEqual)
        summary.conflictingCells = result.conflictingCells
        guard let new = result.record, isWanted(new) else {
            summary.unchanged = 1
            summary.commitNumber = cut.withLock { $0.commitNumber }
            return []
        }
        table.pending.lastRecordByteCount = new.byteCount
        if writer.isJournaling {
            writer.journal.append(JournalEntry(type: table.name, record: new, isRemoval: false))
        }
        summary.changed = 1
        summary.visible = result.isVisible ? 1 : 0
        let deliveries = cut.withLock { cut in
            cut.commitNumber += 1
            summary.commitNumber = cut.commitNumber
            table.digests[Int(hash &>> 56)] &+= result.digestDelta
            cut.reserveCounts(of: table)
            cut.counts[table.number].existing += (new.exists ? 1 : 0) - ((old?.exists ?? false) ? 1 : 0)
            let epoch = cut.epochs.newest
            if epoch != nil { cut.epochs.touch(table: table.number, shards: 1 &<< UInt64(Shards.index(of: hash))) }
            if slot >= 0 {
                old?.carryViews(to: new)
                var exchanged: Record? = new
                table.shards.exchange(&exchanged, hash: hash, slot: slot, epoch: epoch)
                retired = exchanged
            } else {
                table.shards.insert(new, hash: hash, epoch: epoch)
                cut.counts[table.number].records += 1
            }
            var deliveries = Deliveries(commitNumber: cut.commitNumber)
            let observers = cut.observers[table.name]
            if result.isVisible, observers != nil || !cut.observers.everything.isEmpty {
                let entry = ChangeEntry(old: slot < 0 ? nil : old, new: new)
                deliveries.add(ChangeSection(type: table.name, entries: [entry]), observers)
                deliveries.finish(everything: cut.observers.everything)
            }
            return deliveries
        }
        return deliveries.send()
    }
}
