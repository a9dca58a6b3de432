@_spi(RecordWriting) import ModelRecord

/// The changes that a commit is about to make in one type: an entry for each model, with its new record.
///
/// A later update of the same commit to the same model merges onto the pending record. The memory is kept from commit
/// to commit.
///
/// Safe to use: the table that owns the set also owns what it does not count.
@safe struct PendingSet {
    var entries: [Pending] = []
    private var index = PendingIndex()
    /// What keeps back the updates and records of models that have been evicted; nil where none are. The table that
    /// owns this set keeps it alive. It is not counted, as each use of the set would count it.
    private let unmanagedBounds: Unmanaged<TableBounds>?

    init(bounds: TableBounds? = nil) { unsafe unmanagedBounds = bounds.map { unsafe .passUnretained($0) } }

    @inline(__always)
    private var bounds: TableBounds? { unsafe unmanagedBounds?.takeUnretainedValue() }

    /// Merges the updates of `batch`.
    /// - Parameters:
    ///   - changes: notes what differs, when the batch is an origin's own; nil for a replica.
    ///   - byteCount: the expected size of a record in bytes, set to that of the last one that was made.
    mutating func apply(
        _ batch: borrowing UpdateBatchView, _ shards: Shards, plan: inout MergePlan, tally: inout CommitTally,
        changes: inout BatchChanges?, byteCount: inout Int
    ) {
        let count = batch.count
        index.reserve(entries.count + count, entries)
        entries.reserveCapacity(entries.count + count)
        var ahead = LookAhead()
        var late: [Int: LateUpdates]?
        var position = LookAhead.start
        while position < count {
            ahead.begin(position, batch, shards, byteCount: byteCount)
            if position >= 0 {
                merge(
                    batch.update(at: position), ahead.hash(position), candidate: ahead.candidate(position),
                    shards, plan: &plan, tally: &tally, changes: &changes, late: &late)
            }
            ahead.end(byteCount: byteCount)
            position &+= 1
        }
        if let late { join(late, plan: &plan, tally: &tally) }
        if let last = unsafe entries.last?.held { unsafe byteCount = last.storedByteCount }
    }

    /// Merges those updates of `batch` whose positions are in `some`.
    mutating func apply(
        _ some: Repeats, of batch: borrowing UpdateBatchView, _ shards: Shards, plan: inout MergePlan,
        tally: inout CommitTally
    ) {
        index.reserve(entries.count + batch.count, entries)
        var changes: BatchChanges?
        var late: [Int: LateUpdates]?
        for position in 0..<batch.count where some.contains(position) {
            let update = batch.update(at: position)
            let hash = SlotArray.hash(idHash: update.idHash)
            merge(
                update, hash, candidate: shards.slots(of: hash)?.candidate(hash) ?? -1, shards, plan: &plan,
                tally: &tally, changes: &changes, late: &late)
        }
        if let late { join(late, plan: &plan, tally: &tally) }
    }

    @inline(__always)
    private mutating func merge(
        _ update: borrowing UpdateView, _ hash: UInt64, candidate: Int, _ shards: Shards,
        plan: inout MergePlan, tally: inout CommitTally, changes: inout BatchChanges?, late: inout [Int: LateUpdates]?
    ) {
        let known = index.isAbsent(hash) ? -1 : index.find(hash, update.id, entries)
        if known >= 0 {
            if changes == nil, isLarge(known) {
                PendingSet.add(update, to: known, &late, plan: &plan)
                return
            }
            guard
                var result = unsafe entries[known].held?.applying(
                    update, plan: &plan, keepingEqual: changes != nil)
            else { preconditionFailure("a pending change has a record") }
            unsafe changes?.note(&result, update, plan)
            unsafe note(result, at: known, &tally)
            return
        }
        var slot = candidate
        if slot >= 0, let slots = shards.slots(of: hash) {
            slot = slots.find(hash, update.id, from: slot)
            if slot >= 0 {
                var result = unsafe slots.applying(update, at: slot, plan: &plan, keepingEqual: changes != nil)
                unsafe changes?.note(&result, update, plan)
                unsafe append(result, hash, slot: slot, wasPresent: slots.isPresent(at: slot), &tally)
                return
            }
        }
        if let bounds, bounds.keepsBack(update, hash, plan: &plan) {
            tally.unchanged &+= 1
            return
        }
        var result = unsafe UnmanagedMerge(
            CellRecord.applying(update, to: nil, plan: &plan, keepingEqual: changes != nil))
        unsafe changes?.note(&result, update, plan)
        unsafe append(result, hash, slot: -1, wasPresent: false, &tally)
    }

    @inline(__always)
    private func isLarge(_ position: Int) -> Bool {
        unsafe entries[position].held?.storedByteCount ?? 0 >= LateUpdates.byteCountMin
    }

    /// Keeps a further update of a large model until the end of its batch.
    @inline(never)
    private static func add(
        _ update: borrowing UpdateView, to position: Int, _ late: inout [Int: LateUpdates]?, plan: inout MergePlan
    ) {
        late = late ?? [:]
        late?[position, default: LateUpdates()].add(update, plan: &plan)
    }

    /// Joins the further updates of large models to their records, by the positions of the entries.
    @inline(never)
    private mutating func join(_ late: [Int: LateUpdates], plan: inout MergePlan, tally: inout CommitTally) {
        for (position, updates) in late {
            guard let record = updates.joined(plan: &plan) else { continue }
            let result = CellRecord.joining(record, to: entries[position].record, plan: &plan)
            // They count as one that changes nothing, or all as changes: it is not known which of them did.
            if result.record == nil { tally.unchanged &+= updates.count - 1 }
            unsafe note(UnmanagedMerge(result), at: position, &tally)
        }
    }

    /// Joins the whole states of several models.
    mutating func join(_ records: [CellRecord], _ shards: Shards, plan: inout MergePlan, tally: inout CommitTally) {
        index.reserve(entries.count + records.count, entries)
        for record in records { join(record, shards, plan: &plan, tally: &tally) }
    }

    /// Joins the whole state of a model.
    /// - Parameter isArrival: the model has been fetched, so it comes into the copy whatever has left that.
    mutating func join(
        _ record: CellRecord, isArrival: Bool = false, _ shards: Shards, plan: inout MergePlan,
        tally: inout CommitTally
    ) {
        index.reserve(entries.count + 1, entries)
        let hash = SlotArray.hash(idHash: record.idHash)
        let known = index.isAbsent(hash) ? -1 : index.find(hash, record.idBytes, entries)
        if known >= 0 {
            let result = CellRecord.joining(record, to: entries[known].record, plan: &plan)
            unsafe note(UnmanagedMerge(result), at: known, &tally)
            return
        }
        let slots = shards.slots(of: hash)
        let slot = slots?.find(hash, record.idBytes) ?? -1
        if slot < 0, !isArrival, let bounds, bounds.keepsBack(record, hash, plan: &plan) {
            tally.unchanged &+= 1
            return
        }
        let old = slot < 0 ? nil : slots?.record(at: slot)
        let result = CellRecord.joining(record, to: old, plan: &plan)
        unsafe append(UnmanagedMerge(result), hash, slot: slot, wasPresent: old?.isPresent ?? false, &tally)
    }

    /// Takes a further change of a model that this commit has changed already.
    private mutating func note(_ result: UnmanagedMerge, at position: Int, _ tally: inout CommitTally) {
        unsafe tally.conflictingCells &+= result.conflictingCells
        guard let record = unsafe result.record else {
            tally.unchanged &+= 1
            return
        }
        unsafe entries[position].replace(record)
        unsafe entries[position].digestDelta &+= result.digestDelta
        unsafe entries[position].isVisible = entries[position].isVisible || result.isVisible
        entries[position].isRepeated = true
    }

    @inline(__always)
    private mutating func append(
        _ result: UnmanagedMerge, _ hash: UInt64, slot: Int, wasPresent: Bool, _ tally: inout CommitTally
    ) {
        unsafe tally.conflictingCells &+= result.conflictingCells
        guard let record = unsafe result.record else {
            tally.unchanged &+= 1
            return
        }
        unsafe entries.append(
            Pending(
                record, hash, digestDelta: result.digestDelta, slot: slot, isVisible: result.isVisible,
                wasPresent: wasPresent))
        index.insertLast(of: entries)
    }

    /// See ``PendingIndex/longestRun``.
    var longestRun: Int { index.longestRun }

    mutating func reserve(_ more: Int) { index.reserve(entries.count + more, entries) }

    /// The position of the pending change of `id`, or -1.
    func position(_ hash: UInt64, _ id: Span<UInt8>) -> Int { index.find(hash, id, entries) }

    /// Adds the change of an id that has none yet. ``reserve(_:)`` has made room for it.
    mutating func add(_ entry: Pending) {
        entries.append(entry)
        index.insertLast(of: entries)
    }

    /// The pending record of `id`; nil where this commit has not changed it.
    func record(_ hash: UInt64, _ id: Span<UInt8>) -> CellRecord? {
        let known = index.find(hash, id, entries)
        return known < 0 ? nil : entries[known].record
    }

    /// Decides again which models changed visibly: several changes of one model may cancel out, and no reader saw the
    /// states between.
    /// - Returns: how many models a reader can tell from before.
    mutating func settle(_ shards: Shards) -> Int {
        var visible = 0
        for position in entries.indices {
            if entries[position].isRepeated, entries[position].isVisible {
                entries[position].isVisible = isVisibleAfterAll(entries[position], shards)
            }
            if entries[position].isVisible { visible &+= 1 }
        }
        return visible
    }

    private func isVisibleAfterAll(_ entry: Pending, _ shards: Shards) -> Bool {
        guard let new = entry.record else { return false }
        let old = entry.slot < 0 ? nil : shards.slots(of: entry.hash)?.record(at: entry.slot)
        return new.isVisiblyDifferent(from: old)
    }

    /// Hands the entries over. The set is empty afterwards.
    mutating func take() -> [Pending] {
        index.removeAll()
        return exchange(&entries, with: [])
    }

    /// Gives empty memory back for the next commit.
    mutating func give(_ spare: [Pending]) {
        if entries.isEmpty, entries.capacity < spare.capacity { entries = spare }
    }
}

/// The counts of a commit in progress.
struct CommitTally {
    var unchanged = 0
    var conflictingCells = 0
}

/// Puts `replacement` in the place of `value`, which is returned.
func exchange<T>(_ value: inout T, with replacement: consuming T) -> T {
    let old = value
    value = replacement
    return old
}
