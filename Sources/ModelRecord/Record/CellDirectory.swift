/// The offsets of some cells of a record, so that a merge need not walk over all cells before the one that it looks
/// for.
///
/// A record has its directory from the start, so that even its first update can be written in place. A small record has
/// two offsets, a third and two thirds of the way, among its ``RecordFacts``, where they take no memory of their own. A
/// larger record has the offset of every fourth cell behind its bytes, two bytes each.
struct CellDirectory {
    /// The number of a cell in its record, and the offset at which it begins.
    struct CellPosition {
        var cell: Int
        var offset: Int
    }

    /// The offsets of two cells of a small record.
    struct Signposts {
        var first: UInt16 = 0
        var second: UInt16 = 0
    }

    /// The distance, in cells, between two cells that have an entry behind the bytes.
    private static let stride = 4
    /// Offsets must fit into two bytes.
    private static let recordByteCountMax = 1 << 16
    /// A record of more fields costs more to copy than to search.
    private static let cellCountMax = 1 << 10

    /// The record has ``Signposts``: its offsets fit into ten bits each.
    @inline(__always)
    static func isSmall(byteCount: Int, cellCount: Int) -> Bool { byteCount < 1 << 10 && cellCount < 24 }

    /// The size of the entries behind the bytes of a record that is not small.
    @inline(never)
    static func byteCount(recordByteCount: Int, cellCount: Int) -> Int {
        guard recordByteCount <= recordByteCountMax, cellCount <= cellCountMax, cellCount > 0 else { return 0 }
        return (cellCount &- 1) / stride &* 2
    }

    /// The cell of the first signpost.
    @inline(__always)
    static func firstCell(of cellCount: Int) -> Int { (cellCount &* 11) &>> 5 }

    /// The cell of the second signpost.
    @inline(__always)
    static func secondCell(of cellCount: Int) -> Int { (cellCount &* 22) &>> 5 }

    /// The cell whose offset stands in entry `index`.
    @inline(__always)
    static func cell(ofEntry index: Int) -> Int { (index &+ 1) &* stride }

    private let isSmall: Bool
    private let signposts: Signposts
    private let cellsOffset: Int
    private let cellCount: Int
    /// The offset of the first entry.
    private let start: Int
    /// The number of entries.
    let entryCount: Int

    /// The directory of the record that `header` describes.
    @inline(__always)
    init(_ header: RecordHeader) {
        isSmall = header.isSmall
        signposts = header.signposts
        cellsOffset = Int(header.cellsOffset)
        cellCount = Int(header.cellCount)
        start = Int(header.byteCount)
        entryCount = header.directoryByteCount &>> 1
    }

    /// The last known position that is not behind `cell`, a cell of the record.
    /// - Parameter stored: the record's ``RecordStorage/stored`` bytes.
    @inline(__always)
    func nearest(_ cell: Int, in stored: Span<UInt8>) -> CellPosition {
        if isSmall {
            let second = CellDirectory.secondCell(of: cellCount)
            if cell >= second { return CellPosition(cell: second, offset: Int(signposts.second)) }
            let first = CellDirectory.firstCell(of: cellCount)
            if cell >= first { return CellPosition(cell: first, offset: Int(signposts.first)) }
            return CellPosition(cell: 0, offset: cellsOffset)
        }
        return nearestEntry(cell, in: stored)
    }

    @inline(never)
    private func nearestEntry(_ cell: Int, in stored: Span<UInt8>) -> CellPosition {
        let index = min(cell / CellDirectory.stride, entryCount) &- 1
        guard index >= 0 else { return CellPosition(cell: 0, offset: cellsOffset) }
        return CellPosition(cell: CellDirectory.cell(ofEntry: index), offset: entry(index, in: stored))
    }

    /// The offset of a cell in entry `index`, which is below ``entryCount``.
    @inline(__always)
    func entry(_ index: Int, in stored: Span<UInt8>) -> Int {
        let place = start &+ index &* 2
        precondition(0 <= index && place &+ 2 <= stored.count, "a directory ends with its record's storage")
        // In bounds: just checked.
        return Int(unsafe stored.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt16.self))
    }
}

/// Computes the offsets of cells after an update has changed the sizes of some. Ask for cells in ascending order.
struct CellShift {
    private var shift: Int
    private var next = 0

    @inline(__always)
    init(_ plan: borrowing MergePlan) { shift = plan.touch.growth }

    /// The new offset of `cell`, which began at `offset` before the update.
    @inline(__always)
    mutating func offset(of cell: Int, before offset: Int, _ plan: borrowing MergePlan) -> Int {
        while next < plan.overwriteCount, Int(plan.overwrite(at: next).cell) < cell {
            shift &+= Int(plan.overwrite(at: next).growth)
            next &+= 1
        }
        return offset &+ shift
    }
}

extension CellDirectory.Signposts {
    /// The signposts of a small record whose bytes are `bytes`.
    init(_ header: RecordHeader, of bytes: Span<UInt8>) {
        let cellCount = Int(header.cellCount)
        var position = CellDirectory.CellPosition(cell: 0, offset: Int(header.cellsOffset))
        position.pass(to: CellDirectory.firstCell(of: cellCount), in: bytes)
        first = UInt16(truncatingIfNeeded: position.offset)
        position.pass(to: CellDirectory.secondCell(of: cellCount), in: bytes)
        second = UInt16(truncatingIfNeeded: position.offset)
    }

    /// The signposts of a small record after an update; `old` is its header before the update.
    @inline(__always)
    init(_ old: RecordHeader, plan: borrowing MergePlan) {
        let cellCount = Int(old.cellCount)
        var shift = CellShift(plan)
        first = UInt16(
            truncatingIfNeeded: shift.offset(
                of: CellDirectory.firstCell(of: cellCount), before: Int(old.signposts.first), plan))
        second = UInt16(
            truncatingIfNeeded: shift.offset(
                of: CellDirectory.secondCell(of: cellCount), before: Int(old.signposts.second), plan))
    }
}

extension CellDirectory.CellPosition {
    /// Advances to `cell`, which the record has and which is not before this one.
    // Not inlined, because its callers are.
    @inline(never)
    mutating func pass(to cell: Int, in bytes: Span<UInt8>) {
        while self.cell < cell {
            offset = CellScan.end(bytes, ofCellAt: offset)
            self.cell &+= 1
        }
    }
}

extension RecordBuilder {
    /// Writes the directory behind the record's bytes, which are complete.
    /// - Parameter old: the directory of the record that was overwritten, with its `stored` bytes; it has as many
    ///   entries.
    @inline(__always)
    mutating func directory(from old: CellDirectory, in stored: Span<UInt8>, plan: borrowing MergePlan) {
        var shift = CellShift(plan)
        for index in 0..<old.entryCount {
            entry(shift.offset(of: CellDirectory.cell(ofEntry: index), before: old.entry(index, in: stored), plan))
        }
    }

    /// Writes the directory behind the record's bytes, which are complete, by a walk over `bytes`.
    mutating func directory(_ header: RecordHeader, of bytes: Span<UInt8>) {
        var position = CellDirectory.CellPosition(cell: 0, offset: Int(header.cellsOffset))
        for index in 0..<header.directoryByteCount / 2 {
            position.pass(to: CellDirectory.cell(ofEntry: index), in: bytes)
            entry(position.offset)
        }
    }

    @inline(__always)
    private mutating func entry(_ offset: Int) {
        precondition(capacity &- count >= 2, "a directory ends with its record's storage")
        // In bounds: just checked.
        let place = unsafe UnsafeMutableRawPointer(start + count)
        unsafe place.storeBytes(of: UInt16(truncatingIfNeeded: offset), as: UInt16.self)
        count &+= 2
    }
}
