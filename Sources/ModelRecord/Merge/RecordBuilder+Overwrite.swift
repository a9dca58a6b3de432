import ModelCBOR

extension RecordBuilder {
    /// Makes a new record from `old` and the overwrites of `plan`, see ``Overwrite``.
    /// - Parameter old: the storage of the old record.
    @inline(__always)
    static func make(
        overwriting old: RecordStorage, plan: inout MergePlan, update: borrowing UpdateView
    ) -> UnmanagedRecord {
        let facts = old.facts
        let touch = plan.touch
        var header = facts
        let oldByteCount = Int(facts.byteCount)
        let byteCount = oldByteCount &+ touch.growth &+ plan.growth
        precondition(byteCount <= Int(UInt32.max), "a record has outgrown 4 GiB")
        header.byteCount = UInt32(truncatingIfNeeded: byteCount)
        header.cellsOffset = UInt32(truncatingIfNeeded: Int(header.cellsOffset) &+ touch.growth)
        let keepsForm = header.isSmall == facts.isSmall && header.directoryByteCount == facts.directoryByteCount
        if keepsForm, header.isSmall, !plan.keepsSize {
            header.signposts = CellDirectory.Signposts(facts, plan: plan)
        }
        let storage = RecordStorage.make(header, spares: &plan.spares)
        let start = unsafe storage.start
        var builder = unsafe RecordBuilder(start: start, capacity: header.storedByteCount)
        let stored = old.stored
        if plan.keepsSize {
            // All bytes are copied first, then written over.
            builder.copy(stored, 0, stored.count)
            builder.overwrite(plan, update)
        } else {
            builder.copy(stored, plan, update, oldByteCount: oldByteCount)
            precondition(builder.count == byteCount, "a merge plan miscounted its bytes")
        }
        if !keepsForm {
            builder.index(storage, header)
        } else if !plan.keepsSize {
            builder.directory(from: CellDirectory(facts), in: stored, plan: plan)
        }
        return unsafe UnmanagedRecord(CellRecord(storage: storage))
    }

    /// Overwrites parts of a record in place. The plan keeps the size of the record, so the directory stays valid.
    /// - Parameter storage: the caller holds the only reference, and nobody else gets one meanwhile.
    @inline(__always)
    static func overwrite(_ storage: RecordStorage, _ plan: borrowing MergePlan, _ update: borrowing UpdateView) {
        let start = unsafe storage.start
        var builder = unsafe RecordBuilder(start: start, capacity: Int(storage.facts.byteCount))
        builder.overwrite(plan, update)
    }

    /// Writes the new values and versions over the old ones; no other byte moves.
    @inline(__always)
    private mutating func overwrite(_ plan: borrowing MergePlan, _ update: borrowing UpdateView) {
        count = plan.touch.range.lowerBound
        head(.array, 2)
        tail(update, keepsOrigin: plan.touch.keepsOrigin)
        for index in 0..<plan.overwriteCount {
            let overwrite = plan.overwrite(at: index)
            count = Int(overwrite.oldValue)
            copy(update.fields, Int(overwrite.value), Int(overwrite.end))
            tail(update, keepsOrigin: overwrite.keepsOrigin)
        }
    }

    /// Writes the new bytes, alternating with the old bytes that stay.
    private mutating func copy(
        _ old: Span<UInt8>, _ plan: borrowing MergePlan, _ update: borrowing UpdateView, oldByteCount: Int
    ) {
        copy(old, 0, plan.touch.range.lowerBound)
        head(.array, 2)
        tail(update, keepsOrigin: false)
        var offset = plan.touch.range.upperBound
        for index in 0..<plan.overwriteCount {
            let overwrite = plan.overwrite(at: index)
            copy(old, offset, Int(overwrite.oldValue))
            copy(update.fields, Int(overwrite.value), Int(overwrite.end))
            tail(update, keepsOrigin: overwrite.keepsOrigin)
            offset = Int(overwrite.oldEnd)
        }
        copy(old, offset, oldByteCount)
    }

    /// Writes the update's version as it ends a cell.
    /// - Parameter keepsOrigin: the origin is not written: it stands there already, or is copied with the old bytes.
    @inline(__always)
    private mutating func tail(_ update: borrowing UpdateView, keepsOrigin: Bool) {
        head(.unsigned, update.stamp)
        if keepsOrigin { return }
        head(.text, UInt64(update.origin.count))
        copy(update.origin)
    }

    /// Copies the bytes of `span` from `start` to `end`.
    @inline(__always)
    private mutating func copy(_ span: Span<UInt8>, _ start: Int, _ end: Int) {
        let size = end &- start
        precondition(
            0 <= start && 0 <= size && end <= span.count && size <= capacity &- count,
            "a merge plan miscounted its bytes")
        // In bounds of both by the precondition; the span and the new object cannot overlap.
        let target = unsafe UnsafeMutableRawPointer(self.start + count)
        count &+= size
        unsafe span.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            unsafe Bytes.copy(base + start, to: target, count: size)
        }
    }
}
