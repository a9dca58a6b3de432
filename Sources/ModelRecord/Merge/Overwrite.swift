import ModelCBOR

/// The fast path of a merge, which most updates take: the update is newer than the whole record, and the record has all
/// of its fields.
///
/// Every write of a cell touches the model, so no cell is newer than `touched`, and neither is the floor of an existing
/// model (section 2 of the protocol article). An update above `touched` therefore wins every cell that it meets, and no
/// cell is dropped. So no cell is asked for its version, and all bytes between the values stay as they are.
struct Overwrite {
    private let exists: Bool
    private let idHash: UInt64
    private let cellsOffset: Int
    private let cellCount: Int
    private let directory: CellDirectory
    private let touchedOffset: Int
    /// A cell with an equal value is left as it is.
    private let keepsEqual: Bool
    private let tailByteCount: Int

    @inline(__always)
    init(_ facts: RecordHeader, _ update: borrowing UpdateView, keepsEqual: Bool) {
        exists = facts.exists
        idHash = facts.idHash
        cellsOffset = Int(facts.cellsOffset)
        cellCount = Int(facts.cellCount)
        directory = CellDirectory(facts)
        self.keepsEqual = keepsEqual
        touchedOffset = facts.touchedOffset
        tailByteCount = RecordBuilder.tailSize(stamp: update.stamp, originByteCount: update.origin.count)
    }

    /// Notes in `plan` what `update` overwrites, if the update can take the fast path.
    /// - Parameter result: the result without the record, which has yet to be made; untouched when the update leaves
    ///   the record as it is.
    /// - Returns: false when the update cannot take the fast path; `result` is untouched then.
    @inline(__always)
    func prepare(
        _ update: borrowing UpdateView, to storage: RecordStorage, plan: inout MergePlan,
        _ result: inout UnmanagedMerge
    ) -> Bool {
        guard update.operation == .merge, exists, update.fieldCount <= MergePlan.overwriteCountMax else {
            return false
        }
        let stored = storage.stored
        let old = storage.bytes
        // The tail stands behind one byte, the head of an array of two. A model that exists has a `touched` version.
        let touched = CellTail(old, at: touchedOffset &+ 1)
        guard touched.isBelow(update, in: old) else { return false }
        plan.reset()
        guard collect(update, old, stored, &plan) else { return false }
        if keepsEqual, plan.overwriteCount == 0 { return true }
        // The slow path refuses a record of that size.
        if plan.growth > 0, old.count &+ plan.growth >= CellRecord.byteCountMax { return false }

        let own = Fingerprint.mix(idHash ^ Fingerprint.empty)
        let keepsOrigin = touched.hasOrigin(of: update, in: old)
        plan.digestDelta &-= Fingerprint.term(
            base: own, stamp: touched.stamp, originHash: touched.originHash(update, keepsOrigin, in: old))
        plan.digestDelta &+= Fingerprint.term(base: own, stamp: update.stamp, originHash: update.originHash)
        plan.touch = MergePlan.Touch(
            range: touchedOffset..<touched.end, keepsOrigin: keepsOrigin, tailByteCount: tailByteCount)
        unsafe result.isPrepared = true
        unsafe result.isVisible = plan.isVisible
        unsafe result.digestDelta = plan.digestDelta
        return true
    }

    /// Notes the cells that are overwritten.
    /// - Returns: false when the record lacks a field, or when a field is removed or a removed field comes back: the
    ///   digest does not count removed fields.
    @inline(__always)
    private func collect(
        _ update: borrowing UpdateView, _ old: Span<UInt8>, _ stored: Span<UInt8>, _ plan: inout MergePlan
    ) -> Bool {
        let fields = update.fields
        let stampSize = RecordBuilder.headSize(update.stamp)
        var next = CellPosition(cell: 0, offset: cellsOffset)
        var key = 0
        for _ in 0..<update.fieldCount {
            let value = CellScan.endOfText(fields, at: key)
            let valueEnd = CellScan.endOfItem(fields, at: value)
            precondition(valueEnd <= fields.count, "an update's fields end within its bytes")
            var nameHash: UInt64 = 0
            guard let position = position(of: key..<value, fields, from: next, old, stored, &plan, &nameHash) else {
                return false
            }
            // One byte for the head of the array of three.
            let oldValue = position.offset &+ (value &- key) &+ 1
            guard old[oldValue] != CBORConstant.undefinedByte, fields[value] != CBORConstant.undefinedByte else {
                return false
            }
            let oldValueEnd = CellScan.endOfItem(old, at: oldValue)
            let tail = CellTail(old, at: oldValueEnd)
            next = CellPosition(cell: position.cell &+ 1, offset: tail.end)
            if keepsEqual || !plan.isVisible {
                let isEqual =
                    oldValueEnd &- oldValue == valueEnd &- value
                    && Bytes.areEqual(old, oldValue, fields, value, count: valueEnd &- value)
                if isEqual, keepsEqual {
                    key = valueEnd
                    continue
                }
                if !isEqual { plan.isVisible = true }
            }
            let base = Fingerprint.mix(idHash ^ nameHash)
            let keepsOrigin = tail.hasOrigin(of: update, in: old)
            plan.digestDelta &-= Fingerprint.term(
                base: base, stamp: tail.stamp, originHash: tail.originHash(update, keepsOrigin, in: old))
            plan.digestDelta &+= Fingerprint.term(base: base, stamp: update.stamp, originHash: update.originHash)
            let oldEnd = keepsOrigin ? tail.stampEnd : tail.end
            plan.overwrite(
                MergePlan.CellOverwrite(
                    oldValue: UInt32(truncatingIfNeeded: oldValue), oldEnd: UInt32(truncatingIfNeeded: oldEnd),
                    key: UInt32(truncatingIfNeeded: key), value: UInt32(truncatingIfNeeded: value),
                    end: UInt32(truncatingIfNeeded: valueEnd), cell: UInt32(truncatingIfNeeded: position.cell),
                    growth: Int32(
                        truncatingIfNeeded: valueEnd &- value &+ (keepsOrigin ? stampSize : tailByteCount)
                            &- (oldEnd &- oldValue)),
                    keepsOrigin: keepsOrigin))
            key = valueEnd
        }
        return true
    }

    private typealias CellPosition = CellDirectory.CellPosition

    /// Finds the cell of a field. The first guess is the number that the field's cell had in the last record.
    /// - Parameters:
    ///   - key: the range of the field's encoded name in `fields`.
    ///   - first: the cell behind the one that was found last.
    ///   - nameHash: set to FNV-1a of the name.
    /// - Returns: the cell; nil when the record has none from `first` on.
    @inline(__always)
    private func position(
        of key: Range<Int>, _ fields: Span<UInt8>, from first: CellPosition, _ old: Span<UInt8>, _ stored: Span<UInt8>,
        _ plan: inout MergePlan, _ nameHash: inout UInt64
    ) -> CellPosition? {
        guard let words = FieldKey(fields, key) else {
            nameHash = CellScan.nameHash(fields, key: key)
            return scan(key, fields, from: first, old)
        }
        let name = plan.names.place(of: words, fields, key)
        nameHash = plan.names.hash(at: name)
        let guess = plan.names.cell(at: name)
        if guess >= first.cell, guess < cellCount {
            var position = directory.nearest(guess, in: stored)
            if position.cell < first.cell { position = first }
            if position.cell < guess { position.pass(to: guess, in: old) }
            if words.stands(in: old, at: position.offset) { return position }
        }
        let position = scan(key, fields, from: first, old)
        if let position { plan.names.note(cell: position.cell, at: name) }
        return position
    }

    @inline(never)
    private func scan(
        _ key: Range<Int>, _ fields: Span<UInt8>, from first: CellPosition, _ old: Span<UInt8>
    ) -> CellPosition? {
        let stop = CellScan(fields, key: key).run(old, from: first.offset, cellCount &- first.cell, fields, key)
        return stop.isFound ? CellPosition(cell: first.cell &+ stop.count, offset: stop.offset) : nil
    }
}

/// The `stamp, origin` at the end of a cell or of a version, in place.
struct CellTail {
    let stamp: Stamp
    let stampEnd: Int
    /// Where the origin's text begins, without its head.
    let origin: Int
    let end: Int

    /// Reads from bytes that are known to be valid.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at offset: Int) {
        if bytes[offset] == 0x1B, bytes.count &- offset >= 9 {
            stamp = Bytes.word(bytes, offset &+ 1)
            stampEnd = offset &+ 9
        } else {
            var reader = CBORReader(bytes, at: offset)
            stamp = reader.readValidUnsigned()
            stampEnd = reader.offset
        }
        origin = stampEnd &+ (bytes[stampEnd] < 0x78 ? 1 : 2)
        end = CellScan.endOfText(bytes, at: stampEnd)
        precondition(end <= bytes.count, "a version ends within its record")
    }

    /// True when this version is below that of `update`.
    @inline(__always)
    func isBelow(_ update: borrowing UpdateView, in bytes: Span<UInt8>) -> Bool {
        if stamp != update.stamp { return stamp < update.stamp }
        return Bytes.compare(bytes.extracting(origin..<end), update.origin) < 0
    }

    @inline(__always)
    func hasOrigin(of update: borrowing UpdateView, in bytes: Span<UInt8>) -> Bool {
        let count = update.origin.count
        return end &- origin == count && Bytes.areEqual(bytes, origin, update.origin, 0, count: count)
    }

    /// True when both tails have the same origin.
    @inline(__always)
    func hasOrigin(of other: CellTail, in bytes: Span<UInt8>) -> Bool {
        let count = other.end &- other.origin
        return end &- origin == count && Bytes.areEqual(bytes, origin, bytes, other.origin, count: count)
    }

    /// The hash of the origin.
    /// - Parameter isKnown: the origin is that of `update`, whose hash is known; so it is for most cells.
    @inline(__always)
    func originHash(_ update: borrowing UpdateView, _ isKnown: Bool, in bytes: Span<UInt8>) -> UInt64 {
        isKnown ? update.originHash : Fingerprint.fnv(bytes.extracting(origin..<end))
    }
}

extension Fingerprint {
    /// Like ``term(idHash:fieldHash:stamp:originHash:)``.
    /// - Parameter base: `mix(idHash ^ fieldHash)`, the part that does not depend on the version.
    @inline(__always)
    static func term(base: UInt64, stamp: UInt64, originHash: UInt64) -> UInt64 {
        mix(mix(base &+ stamp) ^ originHash)
    }
}
