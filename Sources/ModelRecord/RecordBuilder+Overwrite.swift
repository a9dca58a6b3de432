import ModelCBOR

extension RecordBuilder {
    /// Makes the record that `plan` overwrites parts of: see ``Overwrite``.
    /// - Parameters:
    ///   - old: the old record's ``RecordStorage/stored`` bytes, of which `facts` tell.
    ///   - touched: where the old record's `touched` stands.
    ///   - keepsOrigin: the update is of the origin that touched the model last.
    @inline(__always)
    static func make(
        overwriting old: Span<UInt8>, _ facts: RecordHeader, touched: Range<Int>, keepsOrigin: Bool,
        tailByteCount: Int, plan: inout MergePlan, update: borrowing UpdateView
    ) -> UnmanagedRecord {
        var header = facts
        let touchedGrowth = 1 &+ tailByteCount &- touched.count
        let oldByteCount = Int(facts.byteCount)
        let byteCount = oldByteCount &+ touchedGrowth &+ plan.growth
        precondition(byteCount <= Int(UInt32.max), "a record has outgrown 4 GiB")
        header.byteCount = UInt32(truncatingIfNeeded: byteCount)
        header.cellsOffset = UInt32(truncatingIfNeeded: Int(header.cellsOffset) &+ touchedGrowth)
        header.hasDirectory = CellDirectory.fits(byteCount: byteCount, cellCount: Int(header.cellCount))
        let storage = RecordStorage.make(header, spares: &plan.spares)
        let start = unsafe storage.start
        var builder = unsafe RecordBuilder(start: start, capacity: header.storedByteCount)
        // Where nothing moves, everything is copied at once and written over.
        let isResized = touchedGrowth != 0 || plan.isResized
        builder.copy(old, 0, isResized ? touched.lowerBound : old.count)
        builder.count = touched.lowerBound
        builder.head(.array, 2)
        builder.tail(update, keepsOrigin: keepsOrigin && !isResized)
        var offset = touched.upperBound
        for index in 0..<plan.overwriteCount {
            let overwrite = plan.overwrite(at: index)
            if isResized {
                builder.copy(old, offset, Int(overwrite.oldValue))
            } else {
                builder.count = Int(overwrite.oldValue)
            }
            builder.copy(update.fields, Int(overwrite.value), Int(overwrite.end))
            builder.tail(update, keepsOrigin: overwrite.keepsOrigin)
            offset = Int(overwrite.oldEnd)
        }
        if isResized {
            builder.copy(old, offset, oldByteCount)
            precondition(builder.count == byteCount, "a merge plan miscounted its bytes")
        }
        if header.hasDirectory, isResized || !facts.hasDirectory {
            builder.count = byteCount
            if facts.hasDirectory {
                builder.directory(header, from: CellDirectory(facts), in: old, shift: touchedGrowth, plan: plan)
            } else {
                builder.directory(header, of: storage.bytes)
            }
        }
        return unsafe UnmanagedRecord(Record(storage: storage))
    }

    /// The update's version as it ends a cell.
    /// - Parameter keepsOrigin: the origin is there, or comes with the old bytes.
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
        if size >= 8, size <= 16 {
            // A value, most of the time: its first and its last eight bytes, of which some may be the same.
            let (first, last) = (Bytes.word(span, start), Bytes.word(span, end &- 8))
            unsafe target.storeBytes(of: first.bigEndian, as: UInt64.self)
            unsafe (target + (size &- 8)).storeBytes(of: last.bigEndian, as: UInt64.self)
            return
        }
        unsafe span.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            unsafe target.copyMemory(from: base + start, byteCount: size)
        }
    }
}
