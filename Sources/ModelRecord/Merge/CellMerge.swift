import ModelCBOR

/// The merge of an update's fields into a record's cells. Both are in the same order, so each is passed once.
struct CellMerge {
    private let idHash: UInt64
    private let cellsOffset: Int
    private let cellCount: Int
    /// The update's version is the new floor: cells below it are dropped.
    private let raisesFloor: Bool
    /// The update is not below the floor: its fields are written.
    private let writesCells: Bool
    /// A cell of an equal value is left as it is, and a field without a cell is not made unknown.
    private let keepsEqual: Bool
    private let tailByteCount: Int

    init(
        record: CellRecord, update: borrowing UpdateView, raisesFloor: Bool, writesCells: Bool, keepsEqual: Bool
    ) {
        self.keepsEqual = keepsEqual
        idHash = record.idHash
        cellsOffset = Int(record.storage.packed.cellsOffset)
        cellCount = record.cellCount
        self.raisesFloor = raisesFloor
        self.writesCells = writesCells
        tailByteCount = RecordBuilder.tailSize(stamp: update.stamp, originByteCount: update.origin.count)
    }

    /// Fills `plan` with the cells of the merged record.
    func run(old: Span<UInt8>, update: borrowing UpdateView, plan: inout MergePlan) {
        var offset = cellsOffset
        var left = cellCount
        var fields = CBORReader(update.fields)
        for _ in 0..<(writesCells ? update.fieldCount : 0) {
            let field = FieldSlice(reading: &fields)
            let passed = pass(from: offset, left, before: field, old: old, update: update, plan: &plan)
            offset = passed.offset
            left &-= passed.count
            if passed.isFound {
                var cells = CBORReader(old, at: offset)
                let cell = CellSlice(reading: &cells)
                meet(cell, field, old: old, update: update, plan: &plan)
                offset = cell.end
                left &-= 1
            } else {
                add(field, update: update, plan: &plan)
            }
        }
        // The cells end with the record.
        keep(from: offset, to: old.count, left, old: old, update: update, plan: &plan)
    }

    /// Passes the cells that stand before `field`: the update does not name them.
    @inline(__always)
    private func pass(
        from start: Int, _ left: Int, before field: FieldSlice,
        old: Span<UInt8>, update: borrowing UpdateView, plan: inout MergePlan
    ) -> CellScan.Stop {
        let scan = CellScan(update.fields, key: field.key)
        let stop = scan.run(old, from: start, left, update.fields, field.key)
        keep(from: start, to: stop.offset, stop.count, old: old, update: update, plan: &plan)
        return stop
    }

    /// Keeps cells that the update does not name, except those below a new floor.
    @inline(__always)
    private func keep(
        from start: Int, to end: Int, _ count: Int, old: Span<UInt8>, update: borrowing UpdateView,
        plan: inout MergePlan
    ) {
        guard count > 0 else { return }
        guard raisesFloor else { return plan.keep(.old, start, end, cells: count) }
        var cells = CBORReader(old, at: start)
        for _ in 0..<count { pass(CellSlice(reading: &cells), old: old, update: update, plan: &plan) }
    }

    /// Keeps a cell that the update does not name, unless it is below a new floor.
    private func pass(_ cell: CellSlice, old: Span<UInt8>, update: borrowing UpdateView, plan: inout MergePlan) {
        if raisesFloor, isBelow(cell, update, in: old) {
            plan.isChanged = true
            // Readers do not see a removed field, and the digest does not count it.
            guard old[cell.value.lowerBound] != CBORConstant.undefinedByte else { return }
            plan.isVisible = true
            plan.digestDelta &-= term(cell, update, in: old)
        } else {
            plan.keep(.old, cell.key.lowerBound, cell.end)
        }
    }

    /// Merges a field into the cell of the same name: the greater version wins, at equal versions the greater encoding.
    private func meet(
        _ cell: CellSlice, _ field: FieldSlice, old: Span<UInt8>, update: borrowing UpdateView, plan: inout MergePlan
    ) {
        let oldValue = old.extracting(cell.value)
        let newValue = update.fields.extracting(field.value)
        let order = VersionView(cell.version, in: old).compare(VersionView(stamp: update.stamp, origin: update.origin))
        let valueOrder = Bytes.compare(oldValue, newValue)
        if order == 0, valueOrder != 0 { plan.conflictingCells &+= 1 }
        guard order < 0 || (order == 0 && valueOrder < 0), !(keepsEqual && valueOrder == 0) else {
            plan.keep(.old, cell.key.lowerBound, cell.end)
            return
        }
        plan.isChanged = true
        if valueOrder != 0 { plan.isVisible = true }
        let wasKnown = oldValue[0] != CBORConstant.undefinedByte
        let isKnown = newValue[0] != CBORConstant.undefinedByte
        if order != 0 || wasKnown != isKnown {
            let fieldHash = Fingerprint.fnv(update.fields.extracting(field.name))
            if wasKnown { plan.digestDelta &-= term(cell, update, fieldHash: fieldHash, in: old) }
            if isKnown { plan.digestDelta &+= update.term(fieldHash: fieldHash) }
        }
        plan.write(
            field.key.lowerBound, field.value.lowerBound, field.value.upperBound, versionByteCount: tailByteCount)
    }

    /// Adds a cell for a field that has none.
    private func add(_ field: FieldSlice, update: borrowing UpdateView, plan: inout MergePlan) {
        let isKnown = update.fields[field.value.lowerBound] != CBORConstant.undefinedByte
        if keepsEqual, !isKnown { return }
        plan.isChanged = true
        if isKnown {
            plan.isVisible = true
            plan.digestDelta &+= update.term(fieldHash: Fingerprint.fnv(update.fields.extracting(field.name)))
        }
        plan.write(
            field.key.lowerBound, field.value.lowerBound, field.value.upperBound, versionByteCount: tailByteCount)
    }

    @inline(__always)
    private func isBelow(_ cell: CellSlice, _ update: borrowing UpdateView, in old: Span<UInt8>) -> Bool {
        VersionView(cell.version, in: old).compare(VersionView(stamp: update.stamp, origin: update.origin)) < 0
    }

    private func term(_ cell: CellSlice, _ update: borrowing UpdateView, in old: Span<UInt8>) -> UInt64 {
        term(cell, update, fieldHash: Fingerprint.fnv(old.extracting(cell.name)), in: old)
    }

    /// The term of an old cell in the digest. Most cells come from the update's own origin, whose hash is known.
    private func term(
        _ cell: CellSlice, _ update: borrowing UpdateView, fieldHash: UInt64, in old: Span<UInt8>
    ) -> UInt64 {
        let origin = old.extracting(cell.version.origin)
        let originHash = Bytes.areEqual(origin, update.origin) ? update.originHash : Fingerprint.fnv(origin)
        return Fingerprint.term(
            idHash: idHash, fieldHash: fieldHash, stamp: cell.version.stamp, originHash: originHash)
    }

    /// The model's own term in the digest.
    func touchedTerm(_ touched: VersionSlice, in old: Span<UInt8>) -> UInt64 {
        Fingerprint.term(
            idHash: idHash, fieldHash: Fingerprint.empty, stamp: touched.stamp,
            originHash: Fingerprint.fnv(old.extracting(touched.origin)))
    }
}

/// A field of an update, as ranges of the encoded bytes.
struct FieldSlice {
    var key: Range<Int>
    var name: Range<Int>
    var value: Range<Int>

    @inline(__always)
    init(reading reader: inout CBORReader) {
        let start = reader.offset
        name = reader.skipValidText()
        key = start..<name.upperBound
        let valueStart = reader.offset
        reader.skipValidItem()
        value = valueStart..<reader.offset
    }
}
