import ModelCBOR

extension CellRecord {
    /// Applies `update` to `record`, which may be nil for a model that was never heard of.
    ///
    /// One linear pass over two runs of cells in the same order; at most one allocation, of the new record.
    /// - Parameters:
    ///   - plan: scratch memory, reused from call to call.
    ///   - keepingEqual: leave a cell that holds the value already as it is, with its older version: what an origin
    ///     does with its own merges before it sends them. ``MergePlan/appendWritten(of:to:)`` then tells what is left;
    ///     a merge of which nothing is left changes nothing. Replicas must not: they apply what was sent.
    public static func applying(
        _ update: borrowing UpdateView, to record: CellRecord?, plan: inout MergePlan, keepingEqual: Bool = false
    ) -> MergeResult {
        guard let record else { return first(update, plan: &plan) }
        return unsafe MergeResult(record.storage.applying(update, plan: &plan, keepingEqual: keepingEqual))
    }

    /// The way that any update may take, cell by cell.
    static func merging(
        _ update: borrowing UpdateView, into record: CellRecord, plan: inout MergePlan, keepingEqual: Bool
    ) -> MergeResult {
        let old = record.storage.bytes
        var reader = CBORReader(old, at: record.idRange.upperBound)
        let oldFloor = VersionSlice(reading: &reader)
        let oldTouched = VersionSlice(reading: &reader)
        let version = VersionView(stamp: update.stamp, origin: update.origin)

        let isAboveFloor = oldFloor.map { version.compare(VersionView($0, in: old)) }
        let isAboveTouched = oldTouched.map { version.compare(VersionView($0, in: old)) }
        let raisesFloor = update.operation != .merge && (isAboveFloor ?? 1) > 0
        let raisesTouched = update.operation != .delete && (isAboveTouched ?? 1) > 0
        let writesCells = update.operation != .delete && (isAboveFloor ?? 0) >= 0

        plan.reset()
        plan.isChanged = raisesFloor || raisesTouched
        let merge = CellMerge(
            record: record, update: update, raisesFloor: raisesFloor, writesCells: writesCells,
            keepsEqual: keepingEqual)
        merge.run(old: old, update: update, plan: &plan)
        if keepingEqual, record.exists, update.operation == .merge, !plan.isWritten { return .unchanged }
        guard plan.isChanged else {
            return MergeResult(
                record: nil, isVisible: false, digestDelta: 0, conflictingCells: plan.conflictingCells)
        }
        // What an origin writes itself is refused where it is too much.
        let isTrimmed = plan.cellCount > cellCountMax && !keepingEqual
        if isTrimmed { plan.keepNewest(old: old, other: update.fields, stamp: update.stamp, origin: update.origin) }
        guard plan.byteCount <= byteCountMax || plan.byteCount < record.byteCount else {
            plan.droppedCells += 1
            return .unchanged
        }

        let floorIsNew = raisesFloor
        let exists = touchedIsAtLeastFloor(
            update, old: old, oldFloor: oldFloor, oldTouched: oldTouched, floorIsNew: floorIsNew,
            touchedIsNew: raisesTouched)
        if exists != record.exists { plan.isVisible = true }
        if record.exists, let oldTouched {
            plan.digestDelta &-= merge.touchedTerm(oldTouched, in: old)
        }
        if exists {
            plan.digestDelta &+=
                raisesTouched
                ? Fingerprint.term(
                    idHash: record.idHash, fieldHash: Fingerprint.empty, stamp: update.stamp,
                    originHash: update.originHash)
                : oldTouched.map { merge.touchedTerm($0, in: old) } ?? 0
        }
        let made = RecordBuilder.make(
            id: update.id, idHash: record.idHash,
            floor: floorIsNew ? version : oldFloor.view(in: old),
            touched: raisesTouched ? VersionView(stamp: update.stamp, origin: update.origin) : oldTouched.view(in: old),
            exists: exists, plan: plan, old: old, other: update.fields, stamp: update.stamp, origin: update.origin)
        if isTrimmed { return trimmedResult(made, from: record, conflictingCells: plan.conflictingCells) }
        return MergeResult(
            record: made, isVisible: plan.isVisible, digestDelta: plan.digestDelta,
            conflictingCells: plan.conflictingCells)
    }

    /// The first that is heard of a model.
    private static func first(_ update: borrowing UpdateView, plan: inout MergePlan) -> MergeResult {
        plan.reset()
        let isDelete = update.operation == .delete
        var delta: UInt64 = 0
        if !isDelete {
            let tail = RecordBuilder.tailSize(stamp: update.stamp, originByteCount: update.origin.count)
            var reader = CBORReader(update.fields)
            for _ in 0..<update.fieldCount {
                let start = reader.offset
                let name = reader.skipValidText()
                let value = reader.offset
                reader.skipValidItem()
                plan.write(start, value, reader.offset, versionByteCount: tail)
                if update.fields[value] != CBORConstant.undefinedByte {
                    delta &+= update.term(fieldHash: Fingerprint.fnv(update.fields.extracting(name)))
                }
            }
            delta &+= update.term(fieldHash: Fingerprint.empty)
        }
        let empty = Span<UInt8>()
        let record = RecordBuilder.make(
            id: update.id, idHash: update.idHash,
            floor: update.operation == .merge ? nil : VersionView(stamp: update.stamp, origin: update.origin),
            touched: isDelete ? nil : VersionView(stamp: update.stamp, origin: update.origin),
            exists: !isDelete, plan: plan, old: empty, other: update.fields, stamp: update.stamp, origin: update.origin)
        return MergeResult(record: record, isVisible: !isDelete, digestDelta: delta, conflictingCells: 0)
    }

    private static func touchedIsAtLeastFloor(
        _ update: borrowing UpdateView, old: Span<UInt8>, oldFloor: VersionSlice?, oldTouched: VersionSlice?,
        floorIsNew: Bool, touchedIsNew: Bool
    ) -> Bool {
        if touchedIsNew, floorIsNew { return true }
        if touchedIsNew {
            guard let oldFloor else { return true }
            return VersionView(stamp: update.stamp, origin: update.origin).compare(VersionView(oldFloor, in: old)) >= 0
        }
        guard let oldTouched else { return false }
        let touched = VersionView(oldTouched, in: old)
        if floorIsNew { return touched.compare(VersionView(stamp: update.stamp, origin: update.origin)) >= 0 }
        guard let oldFloor else { return true }
        return touched.compare(VersionView(oldFloor, in: old)) >= 0
    }
}

extension RecordStorage {
    /// Applies `update` by the short way where it is open, else cell by cell.
    @inline(__always)
    func applying(_ update: borrowing UpdateView, plan: inout MergePlan, keepingEqual: Bool) -> UnmanagedMerge {
        var merge = unsafe prepare(update, plan: &plan, keepingEqual: keepingEqual)
        if unsafe merge.isPrepared { unsafe finish(&merge, update, plan: &plan) }
        return unsafe merge
    }

    /// Does the same up to the making of the record where the short way is open; where it is not, all of it.
    @inline(__always)
    func prepare(_ update: borrowing UpdateView, plan: inout MergePlan, keepingEqual: Bool) -> UnmanagedMerge {
        var merge = unsafe UnmanagedMerge()
        if unsafe Overwrite(facts, update, keepsEqual: keepingEqual).prepare(update, to: self, plan: &plan, &merge) {
            return unsafe merge
        }
        return unsafe UnmanagedMerge(
            CellRecord.merging(update, into: CellRecord(storage: self), plan: &plan, keepingEqual: keepingEqual))
    }

    /// Makes the record that was prepared.
    @inline(__always)
    func finish(_ merge: inout UnmanagedMerge, _ update: borrowing UpdateView, plan: inout MergePlan) {
        unsafe merge.isPrepared = false
        unsafe merge.record = RecordBuilder.make(overwriting: self, plan: &plan, update: update)
    }
}

extension UpdateView {
    /// What a cell that this update writes adds to a digest.
    @inline(__always)
    borrowing func term(fieldHash: UInt64) -> UInt64 {
        Fingerprint.term(idHash: idHash, fieldHash: fieldHash, stamp: stamp, originHash: originHash)
    }
}

extension VersionSlice? {
    /// The version where it stands, if there is one.
    @_lifetime(copy bytes)
    func view(in bytes: Span<UInt8>) -> VersionView? {
        switch self {
        case nil: nil
        case let slice?: VersionView(slice, in: bytes)
        }
    }
}
