/// Where some cells of a record begin: it saves a merge most of the way through the cells before the one that it looks
/// for.
///
/// A record has it from the first, so that its first update, too, can be written where the record is. A small one has
/// two places, a third and two thirds of the way, among its ``RecordFacts``, where they take no memory of their own. A
/// larger one has that of every fourth cell behind its bytes, two bytes each.
struct CellDirectory {
    /// A cell of a record.
    struct Place {
        var cell: Int
        var offset: Int
    }

    /// Where two cells begin, of a record that is small.
    struct Signposts {
        var first: UInt16 = 0
        var second: UInt16 = 0
    }

    /// Of the cells behind the bytes.
    private static let stride = 4
    /// Offsets must fit into two bytes.
    private static let recordByteCountMax = 1 << 16
    /// A record of more fields costs more to copy than to search.
    private static let cellCountMax = 1 << 10

    /// The record has ``Signposts``: its offsets fit into ten bits each.
    @inline(__always)
    static func isSmall(byteCount: Int, cellCount: Int) -> Bool { byteCount < 1 << 10 && cellCount < 24 }

    /// What stands behind the bytes of a record that is not small.
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

    /// The cell that entry `index` behind the bytes is for.
    @inline(__always)
    static func cell(ofEntry index: Int) -> Int { (index &+ 1) &* stride }

    private let isSmall: Bool
    private let signposts: Signposts
    private let cellsOffset: Int
    private let cellCount: Int
    /// Where the entries begin, and their number.
    private let start: Int
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

    /// The last known place that is not behind `cell`, a cell of the record.
    /// - Parameter stored: the record's ``RecordStorage/stored`` bytes.
    @inline(__always)
    func nearest(_ cell: Int, in stored: Span<UInt8>) -> Place {
        if isSmall {
            let second = CellDirectory.secondCell(of: cellCount)
            if cell >= second { return Place(cell: second, offset: Int(signposts.second)) }
            let first = CellDirectory.firstCell(of: cellCount)
            if cell >= first { return Place(cell: first, offset: Int(signposts.first)) }
            return Place(cell: 0, offset: cellsOffset)
        }
        return nearestEntry(cell, in: stored)
    }

    @inline(never)
    private func nearestEntry(_ cell: Int, in stored: Span<UInt8>) -> Place {
        let index = min(cell / CellDirectory.stride, entryCount) &- 1
        guard index >= 0 else { return Place(cell: 0, offset: cellsOffset) }
        return Place(cell: CellDirectory.cell(ofEntry: index), offset: entry(index, in: stored))
    }

    /// What stands behind the bytes at `index`, below ``entryCount``.
    @inline(__always)
    func entry(_ index: Int, in stored: Span<UInt8>) -> Int {
        let place = start &+ index &* 2
        precondition(0 <= index && place &+ 2 <= stored.count, "a directory ends with its record's storage")
        // In bounds: just checked.
        return Int(unsafe stored.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt16.self))
    }
}

/// Tells where cells begin after an update has changed the sizes of some: asked in the order of the cells.
struct CellShift {
    private var shift: Int
    private var next = 0

    @inline(__always)
    init(_ plan: borrowing MergePlan) { shift = plan.touch.growth }

    /// Where `cell` begins now.
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
    /// Those of a small record whose bytes are `bytes`.
    init(_ header: RecordHeader, of bytes: Span<UInt8>) {
        let cellCount = Int(header.cellCount)
        var place = CellDirectory.Place(cell: 0, offset: Int(header.cellsOffset))
        place.pass(to: CellDirectory.firstCell(of: cellCount), in: bytes)
        first = UInt16(truncatingIfNeeded: place.offset)
        place.pass(to: CellDirectory.secondCell(of: cellCount), in: bytes)
        second = UInt16(truncatingIfNeeded: place.offset)
    }

    /// Those of a small record after an update, whose header before that is `old`.
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

extension CellDirectory.Place {
    /// Goes on to `cell`, which is not before this one and which the record has.
    // Out of line, as what calls it is to be inlined.
    @inline(never)
    mutating func pass(to cell: Int, in bytes: Span<UInt8>) {
        while self.cell < cell {
            offset = CellScan.end(bytes, ofCellAt: offset)
            self.cell &+= 1
        }
    }
}

extension RecordBuilder {
    /// Writes the directory behind the bytes, which have just been written, all of them.
    /// - Parameters:
    ///   - old: the directory of the record that was overwritten, with its `stored` bytes; it has as many entries.
    @inline(__always)
    mutating func directory(from old: CellDirectory, in stored: Span<UInt8>, plan: borrowing MergePlan) {
        var shift = CellShift(plan)
        for index in 0..<old.entryCount {
            entry(shift.offset(of: CellDirectory.cell(ofEntry: index), before: old.entry(index, in: stored), plan))
        }
    }

    /// Writes the directory behind the bytes, which have just been written, reading them.
    mutating func directory(_ header: RecordHeader, of bytes: Span<UInt8>) {
        var place = CellDirectory.Place(cell: 0, offset: Int(header.cellsOffset))
        for index in 0..<header.directoryByteCount / 2 {
            place.pass(to: CellDirectory.cell(ofEntry: index), in: bytes)
            entry(place.offset)
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
