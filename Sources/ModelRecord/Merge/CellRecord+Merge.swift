import ModelCBOR

extension CellRecord {
    /// Applies `update` to `record`, which is nil for an unknown model.
    ///
    /// One linear pass over two runs of cells in the same order; at most one allocation, of the new record.
    /// - Parameters:
    ///   - update: the update, which may be older than the record.
    ///   - record: the model before; nil if it is unknown.
    ///   - plan: scratch memory, reused from call to call.
    ///   - keepingEqual: leaves a cell that already holds the value as it is, with its older version. An origin does
    ///     this with its own merges before it sends them; ``MergePlan/appendWritten(of:to:)`` then tells the fields
    ///     that are left, and a merge without such fields changes nothing. Replicas must not do it: they apply what was
    ///     sent.
    @_spi(RecordWriting)
    public static func applying(
        _ update: borrowing UpdateView, to record: CellRecord?, plan: inout MergePlan, keepingEqual: Bool = false
    ) -> MergeResult {
        guard let record else { return first(update, plan: &plan) }
        return unsafe MergeResult(record.storage.applying(update, plan: &plan, keepingEqual: keepingEqual))
    }

    /// Merges an update of any kind, cell by cell. ``Overwrite`` is the fast path for the usual kind.
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
        // An origin does not trim its own write but refuses it, see ``MergePlan/hasTooManyCells``.
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
        if exists != record.isPresent { plan.isVisible = true }
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
            conflictingCells: plan.conflictingCells
        ).withdrawn(like: record)
    }

    /// Makes the first record of an unknown model.
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
    /// Applies `update` on the fast path (``Overwrite``) where that is possible, and cell by cell otherwise.
    @inline(__always)
    func applying(_ update: borrowing UpdateView, plan: inout MergePlan, keepingEqual: Bool) -> UnmanagedMerge {
        var merge = unsafe prepare(update, plan: &plan, keepingEqual: keepingEqual)
        if unsafe merge.isPrepared { unsafe finish(&merge, update, plan: &plan) }
        return unsafe merge
    }

    /// Does the same on the fast path, except that the record is not made yet: ``finish(_:_:plan:)`` makes it. An
    /// update that cannot take the fast path is applied completely.
    @inline(__always)
    func prepare(_ update: borrowing UpdateView, plan: inout MergePlan, keepingEqual: Bool) -> UnmanagedMerge {
        var merge = unsafe UnmanagedMerge()
        if unsafe Overwrite(facts, update, keepsEqual: keepingEqual).prepare(update, to: self, plan: &plan, &merge) {
            return unsafe merge
        }
        return unsafe UnmanagedMerge(
            CellRecord.merging(update, into: CellRecord(storage: self), plan: &plan, keepingEqual: keepingEqual))
    }

    /// Makes the record that ``prepare(_:plan:keepingEqual:)`` has left to make.
    @inline(__always)
    func finish(_ merge: inout UnmanagedMerge, _ update: borrowing UpdateView, plan: inout MergePlan) {
        unsafe merge.isPrepared = false
        unsafe merge.record = RecordBuilder.make(overwriting: self, plan: &plan, update: update)
    }
}

extension UpdateView {
    /// The term in a digest of a cell that this update writes.
    @inline(__always)
    borrowing func term(fieldHash: UInt64) -> UInt64 {
        Fingerprint.term(idHash: idHash, fieldHash: fieldHash, stamp: stamp, originHash: originHash)
    }
}

extension VersionSlice? {
    /// A view of the version in `bytes`; nil without a version.
    @_lifetime(copy bytes)
    func view(in bytes: Span<UInt8>) -> VersionView? {
        switch self {
        case nil: nil
        case let slice?: VersionView(slice, in: bytes)
        }
    }
}
