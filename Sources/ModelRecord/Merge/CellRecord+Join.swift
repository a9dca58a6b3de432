import ModelCBOR

extension CellRecord {
    /// Joins two states of one model: the greater floor and touched, per field the cell with the greater version,
    /// without the cells below the floor. Commutative, associative and idempotent (protocol article, section 2).
    ///
    /// - Parameters:
    ///   - other: the state that arrives.
    ///   - record: the state that is held, nil for an unknown model.
    ///   - plan: scratch memory, reused from call to call.
    /// - Returns: the joined record; none when `record` already holds all of `other`, or when the joined record would
    ///   be larger than a record may be.
    @_spi(RecordWriting)
    public static func joining(_ other: CellRecord, to record: CellRecord?, plan: inout MergePlan) -> MergeResult {
        guard let record else {
            let other = other.trimmed(plan: &plan)
            return MergeResult(
                record: other, isVisible: other.exists, digestDelta: other.digest, conflictingCells: 0)
        }
        guard record.storage !== other.storage else { return .unchanged }
        let (old, new) = (record.storage.bytes, other.storage.bytes)
        var oldReader = CBORReader(old, at: record.idRange.upperBound)
        var newReader = CBORReader(new, at: other.idRange.upperBound)
        let floors = (VersionSlice(reading: &oldReader), VersionSlice(reading: &newReader))
        let touches = (VersionSlice(reading: &oldReader), VersionSlice(reading: &newReader))
        let takesFloor = isGreater(floors.1.view(in: new), than: floors.0.view(in: old))
        let takesTouched = isGreater(touches.1.view(in: new), than: touches.0.view(in: old))
        let floor = takesFloor ? floors.1.view(in: new) : floors.0.view(in: old)
        let touched = takesTouched ? touches.1.view(in: new) : touches.0.view(in: old)

        plan.reset()
        plan.isChanged = takesFloor || takesTouched
        CellJoin(old: record, new: other).run(old: old, new: new, floor: floor, plan: &plan)
        guard plan.isChanged else {
            return MergeResult(
                record: nil, isVisible: false, digestDelta: 0, conflictingCells: plan.conflictingCells)
        }
        let isTrimmed = plan.cellCount > cellCountMax
        if isTrimmed { plan.keepNewest(old: old, other: new, stamp: 0, origin: Span()) }
        guard plan.byteCount <= byteCountMax || plan.byteCount < record.byteCount else {
            plan.droppedCells += 1
            return .unchanged
        }
        let exists = exists(floor: floor, touched: touched)
        if exists != record.isPresent { plan.isVisible = true }
        let made = RecordBuilder.make(
            id: old.extracting(record.idRange), idHash: record.idHash, floor: floor, touched: touched,
            exists: exists, plan: plan, old: old, other: new, stamp: 0, origin: Span())
        if isTrimmed { return trimmedResult(made, from: record, conflictingCells: plan.conflictingCells) }
        return MergeResult(
            record: made, isVisible: plan.isVisible, digestDelta: made.digest &- record.digest,
            conflictingCells: plan.conflictingCells
        ).withdrawn(like: record)
    }

    /// Compares two versions; nil is below every version.
    private static func isGreater(_ left: borrowing VersionView?, than right: borrowing VersionView?) -> Bool {
        switch left {
        case nil: return false
        case let left?:
            switch right {
            case nil: return true
            case let right?: return left.compare(right) > 0
            }
        }
    }

    /// The sum of this record's terms in the digest of its bucket (protocol article, section 7); 0 unless the model
    /// exists. Removed fields do not count, so that they can be forgotten.
    /// - Complexity: O(*n*) in the bytes of ids, fields and origins.
    public var digest: UInt64 {
        guard exists else { return 0 }
        let (facts, bytes) = (storage.facts, storage.bytes)
        // The tail stands behind one byte, the head of an array of two. A model that exists has a `touched` version.
        let touched = CellTail(bytes, at: facts.touchedOffset &+ 1)
        // Most records have one origin: its name is hashed once.
        var origin = touched
        var originHash = Fingerprint.fnv(bytes.extracting(origin.origin..<origin.end))
        var sum = Fingerprint.term(
            idHash: facts.idHash, fieldHash: Fingerprint.empty, stamp: touched.stamp, originHash: originHash)
        var offset = Int(facts.cellsOffset)
        for _ in 0..<facts.cellCount {
            let value = CellScan.endOfText(bytes, at: offset) &+ 1
            let tail = CellTail(bytes, at: CellScan.endOfItem(bytes, at: value))
            guard bytes[value] != CBORConstant.undefinedByte else {
                offset = tail.end
                continue
            }
            if !tail.hasOrigin(of: origin, in: bytes) {
                originHash = Fingerprint.fnv(bytes.extracting(tail.origin..<tail.end))
            }
            origin = tail
            let fieldHash = CellScan.nameHash(bytes, key: offset..<(value &- 1))
            sum &+= Fingerprint.term(
                idHash: facts.idHash, fieldHash: fieldHash, stamp: tail.stamp, originHash: originHash)
            offset = tail.end
        }
        return sum
    }
}

/// The join of two sorted runs of cells under a common floor.
private struct CellJoin {
    private let oldOffset: Int
    private let oldCount: Int
    private let newOffset: Int
    private let newCount: Int

    init(old: CellRecord, new: CellRecord) {
        oldOffset = Int(old.storage.facts.cellsOffset)
        oldCount = old.cellCount
        newOffset = Int(new.storage.facts.cellsOffset)
        newCount = new.cellCount
    }

    func run(old: Span<UInt8>, new: Span<UInt8>, floor: borrowing VersionView?, plan: inout MergePlan) {
        var left = CellRun(old, at: oldOffset, count: oldCount)
        var right = CellRun(new, at: newOffset, count: newCount)
        while true {
            switch (left.cell, right.cell) {
            case (nil, nil): return
            case (let mine?, nil):
                keepOld(mine, old, floor: floor, plan: &plan)
                left.advance()
            case (nil, let theirs?):
                takeNew(theirs, new, floor: floor, plan: &plan)
                right.advance()
            case (let mine?, let theirs?):
                let order = Bytes.compare(old.extracting(mine.key), new.extracting(theirs.key))
                if order < 0 {
                    keepOld(mine, old, floor: floor, plan: &plan)
                } else if order > 0 {
                    takeNew(theirs, new, floor: floor, plan: &plan)
                } else {
                    meet(mine, theirs, old, new, floor: floor, plan: &plan)
                }
                if order <= 0 { left.advance() }
                if order >= 0 { right.advance() }
            }
        }
    }

    private func keepOld(_ cell: CellSlice, _ old: Span<UInt8>, floor: borrowing VersionView?, plan: inout MergePlan) {
        if isBelow(cell, old, floor) {
            plan.isChanged = true
            if old[cell.value.lowerBound] != CBORConstant.undefinedByte { plan.isVisible = true }
        } else {
            plan.keep(.old, cell.key.lowerBound, cell.end)
        }
    }

    private func takeNew(_ cell: CellSlice, _ new: Span<UInt8>, floor: borrowing VersionView?, plan: inout MergePlan) {
        guard !isBelow(cell, new, floor) else { return }
        plan.isChanged = true
        if new[cell.value.lowerBound] != CBORConstant.undefinedByte { plan.isVisible = true }
        plan.keep(.other, cell.key.lowerBound, cell.end)
    }

    private func meet(
        _ mine: CellSlice, _ theirs: CellSlice, _ old: Span<UInt8>, _ new: Span<UInt8>,
        floor: borrowing VersionView?, plan: inout MergePlan
    ) {
        let order = VersionView(mine.version, in: old).compare(VersionView(theirs.version, in: new))
        let valueOrder = Bytes.compare(old.extracting(mine.value), new.extracting(theirs.value))
        if order == 0, valueOrder != 0 { plan.conflictingCells &+= 1 }
        let takesTheirs = order < 0 || (order == 0 && valueOrder < 0)
        guard takesTheirs else { return keepOld(mine, old, floor: floor, plan: &plan) }
        guard !isBelow(theirs, new, floor) else { return keepOld(mine, old, floor: floor, plan: &plan) }
        plan.isChanged = true
        if valueOrder != 0 { plan.isVisible = true }
        plan.keep(.other, theirs.key.lowerBound, theirs.end)
    }

    private func isBelow(_ cell: CellSlice, _ bytes: Span<UInt8>, _ floor: borrowing VersionView?) -> Bool {
        switch floor {
        case nil: false
        case let floor?: VersionView(cell.version, in: bytes).compare(floor) < 0
        }
    }
}

/// A cursor over a run of cells.
struct CellRun: ~Escapable {
    private(set) var cell: CellSlice?
    private var reader: CBORReader
    private var left: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, at offset: Int, count: Int) {
        reader = CBORReader(bytes, at: offset)
        left = count
        cell = nil
        advance()
    }

    @_lifetime(self: copy self)
    mutating func advance() {
        guard left > 0 else {
            cell = nil
            return
        }
        left -= 1
        cell = CellSlice(reading: &reader)
    }
}
