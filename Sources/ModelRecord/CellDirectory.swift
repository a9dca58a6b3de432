/// Where each cell of a record begins: two bytes each, in the order of the cells, behind the record's bytes.
///
/// It saves a merge the way through the cells before the one that it looks for. A record has none until it is
/// overwritten for the first time: joining a million records makes none.
struct CellDirectory {
    /// Offsets must fit into two bytes.
    private static let recordByteCountMax = 1 << 16
    /// A record of more fields costs more to copy than to search.
    private static let cellCountMax = 1 << 10

    /// What it takes.
    @inline(__always)
    static func byteCount(_ cellCount: Int) -> Int { cellCount &* 2 }

    /// A record of this size may have one.
    @inline(__always)
    static func fits(byteCount: Int, cellCount: Int) -> Bool {
        byteCount <= recordByteCountMax && cellCount <= cellCountMax
    }

    private let start: Int
    private let count: Int

    /// The directory of the record that `facts` describes.
    @inline(__always)
    init(_ facts: RecordHeader) {
        start = Int(facts.byteCount)
        count = facts.hasDirectory ? Int(facts.cellCount) : 0
    }

    /// Where a cell begins; nil where there is no such cell, or no directory.
    /// - Parameter stored: the record's ``RecordStorage/stored`` bytes.
    @inline(__always)
    func offset(of cell: Int, in stored: Span<UInt8>) -> Int? {
        guard cell >= 0, cell < count else { return nil }
        let place = start &+ cell &* 2
        precondition(place &+ 2 <= stored.count, "a directory ends with its record's storage")
        // In bounds: just checked.
        return Int(unsafe stored.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt16.self))
    }
}

extension RecordBuilder {
    /// Writes the directory of the record whose bytes have just been written, all of them.
    /// - Parameters:
    ///   - old: the directory of the record that was overwritten, with its `stored` bytes.
    ///   - shift: by how much the first cell has moved.
    mutating func directory(
        _ facts: RecordHeader, from old: CellDirectory, in stored: Span<UInt8>, shift: Int, plan: borrowing MergePlan
    ) {
        var shift = shift
        var next = 0
        for cell in 0..<Int(facts.cellCount) {
            guard let offset = old.offset(of: cell, in: stored) else { preconditionFailure("a directory lost a cell") }
            entry(offset &+ shift)
            if next < plan.overwriteCount, plan.overwrite(at: next).cell == cell {
                shift &+= Int(plan.overwrite(at: next).growth)
                next &+= 1
            }
        }
    }

    /// Writes the directory of the record whose bytes have just been written, reading them.
    mutating func directory(_ facts: RecordHeader, of bytes: Span<UInt8>) {
        var offset = Int(facts.cellsOffset)
        for _ in 0..<Int(facts.cellCount) {
            entry(offset)
            offset = CellScan.end(bytes, ofCellAt: offset)
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
