import CPrefetch
import ModelCBOR

/// The bytes that stood in records before they were written over: an observer can have an old state made again from
/// them.
///
/// Two records, old and new, would be one too many for an observer that never looks at the old state. So the replaced
/// bytes are kept here, a fifth of a record most of the time, and the record is written over in place. An entry is its
/// size and a row of pieces; each number has four bytes:
///
/// ```text
/// ┌───────────────────┬───────────────────────┬───────────────────┬──────────────────┬───
/// │ bytes that follow │ place, in the record  │ size of the piece │ what stood there │ …
/// └───────────────────┴───────────────────────┴───────────────────┴──────────────────┴───
/// ```
///
/// Safe to use: the pointer is private, and every offset is kept below `capacity`. Copies share the memory, which lives
/// until ``deallocate()``. Only one copy is written to, and only while nobody reads the others.
// `@unchecked` because of the pointer: only the writer has the log, then only a section, whose readers do not write.
@_spi(RecordWriting)
@safe public struct UndoLog: @unchecked Sendable {
    /// The place in the log of the bytes that one overwriting replaced.
    public struct Entry: Hashable, Sendable {
        fileprivate let start: UInt32

        /// Nothing was written over.
        public static let none = Entry(start: .max)
    }

    /// Room for an entry.
    public struct Room {
        fileprivate let byteCount: Int
    }

    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private var count = 0

    /// An empty log without memory.
    public init() { unsafe base = nil }

    /// Frees the memory; afterwards no copy may be used.
    public func deallocate() { unsafe base?.deallocate() }

    /// Empties the log, and frees its memory if that is more than `byteCountMax` bytes.
    public mutating func removeAll(keepingUpTo byteCountMax: Int) {
        count = 0
        guard capacity > byteCountMax else { return }
        deallocate()
        unsafe base = nil
        capacity = 0
    }

    /// Makes room for the bytes that `plan`, which keeps the size of its record, is about to write over.
    /// - Returns: the room, valid until something is appended; nil when the log would outgrow 32-bit offsets.
    @inline(__always)
    public mutating func reserve(for plan: borrowing MergePlan) -> Room? {
        let byteCount = UndoLog.byteCount(plan)
        return reserve(UndoLog.headByteCount &+ byteCount) ? Room(byteCount: byteCount) : nil
    }

    /// The size of all pieces of an entry.
    @inline(__always)
    private static func byteCount(_ plan: borrowing MergePlan) -> Int {
        var size = pieceHeadByteCount &+ plan.touch.range.count
        for index in 0..<plan.overwriteCount {
            size &+= pieceHeadByteCount &+ plan.overwrite(at: index).oldRange.count
        }
        return size
    }

    /// Makes room for `more` bytes; false when the log would outgrow 32-bit offsets.
    @inline(__always)
    private mutating func reserve(_ more: Int) -> Bool {
        if capacity &- count >= more { return true }
        return grow(more)
    }

    @inline(never)
    private mutating func grow(_ more: Int) -> Bool {
        guard count + more < Int(UInt32.max) else { return false }
        // Capped at 32-bit offsets: an append within the capacity does not check them again.
        let larger = min(max(2 * capacity, count + more, UndoLog.capacityMin), Int(UInt32.max))
        let grown = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        if let base = unsafe base {
            unsafe grown.copyMemory(from: base, byteCount: count)
            unsafe base.deallocate()
        }
        unsafe base = grown
        capacity = larger
        return true
    }

    private static let capacityMin = 1024
    private static let headByteCount = 4
    private static let pieceHeadByteCount = 8
    /// How far ahead the memory is prefetched: some four entries, of two cache lines each.
    private static let aheadByteCount = 512

    // MARK: Writing

    /// Appends the bytes that `plan`, which keeps the size of `record`, is about to write over.
    /// - Parameter room: the room that was reserved for this plan.
    @inline(__always)
    mutating func append(_ record: RecordStorage, _ plan: borrowing MergePlan, in room: Room) -> Entry {
        let end = count &+ UndoLog.headByteCount &+ room.byteCount
        guard let base = unsafe base, end <= capacity else { preconditionFailure("room was made for the entry") }
        let entry = Entry(start: UInt32(truncatingIfNeeded: count))
        unsafe (base + count).storeBytes(of: UInt32(truncatingIfNeeded: room.byteCount).littleEndian, as: UInt32.self)
        var offset = count &+ UndoLog.headByteCount
        let bytes = record.bytes
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe UndoLog.append(bytes, plan.touch.range, base, &offset, end)
            for index in 0..<plan.overwriteCount {
                unsafe UndoLog.append(bytes, plan.overwrite(at: index).oldRange, base, &offset, end)
            }
        }
        precondition(offset == end, "an entry was miscounted")
        count = end
        // A store waits for its cache line, and all later stores wait behind it, so the next lines are prefetched.
        unsafe cprefetch_ahead_to_write(base + end, UndoLog.aheadByteCount)
        unsafe cprefetch_ahead_to_write(base + end, UndoLog.aheadByteCount &+ 64)
        return entry
    }

    /// Appends a piece.
    /// - Parameters:
    ///   - offset: where the piece begins; afterwards, where the next piece begins.
    ///   - end: where the entry ends.
    @inline(__always)
    private static func append(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ base: UnsafeMutableRawPointer, _ offset: inout Int,
        _ end: Int
    ) {
        let size = range.count
        let next = offset &+ pieceHeadByteCount &+ size
        guard let start = bytes.baseAddress, range.upperBound <= bytes.count, next <= end else {
            preconditionFailure("a piece stands in its record, and has room in its entry")
        }
        let head = UInt64(UInt32(truncatingIfNeeded: range.lowerBound)) | UInt64(size) &<< 32
        unsafe (base + offset).storeBytes(of: head.littleEndian, as: UInt64.self)
        unsafe Bytes.copy(start + range.lowerBound, to: base + (offset &+ pieceHeadByteCount), count: size)
        offset = next
    }

    /// Copies an entry of another log. The caller copies each entry once at most, so there is always room.
    /// - Returns: the entry in this log.
    public mutating func append(_ entry: Entry, of other: UndoLog) -> Entry {
        guard entry != .none else { return .none }
        let range = other.range(of: entry)
        let isRoom = reserve(UndoLog.headByteCount + range.count)
        guard isRoom, let base = unsafe base, let source = unsafe other.base else {
            preconditionFailure("what has room in one log has room in another")
        }
        let copy = Entry(start: UInt32(truncatingIfNeeded: count))
        let start = range.lowerBound - UndoLog.headByteCount
        unsafe (base + count).copyMemory(from: source + start, byteCount: range.upperBound - start)
        count += range.upperBound - start
        return copy
    }

    // MARK: Reading

    /// Makes the record again as it was before it was written over.
    /// - Parameters:
    ///   - record: the record as the overwriting left it.
    ///   - entry: the entry of that overwriting.
    public func restored(_ record: UnmanagedRecord, _ entry: Entry) -> CellRecord {
        unsafe record.lend { record in
            let storage = record.storage
            let stored = storage.stored
            let made = RecordStorage.make(storage.facts)
            let start = unsafe made.start
            unsafe stored.withUnsafeBytes { source in
                guard let from = source.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(start).copyMemory(from: from, byteCount: source.count)
            }
            unsafe forEachPiece(of: entry) { offset, piece in
                precondition(offset + piece.count <= Int(storage.packed.byteCount), "a piece stands in its record")
                guard let from = piece.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(start + offset).copyMemory(from: from, byteCount: piece.count)
            }
            return CellRecord(storage: made)
        }
    }

    private func forEachPiece(of entry: Entry, _ body: (Int, UnsafeRawBufferPointer) -> Void) {
        let range = range(of: entry)
        guard let base = unsafe base else { return }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let place = number(at: offset)
            let size = number(at: offset + 4)
            offset += UndoLog.pieceHeadByteCount
            precondition(offset + size <= range.upperBound, "a piece ends within its entry")
            unsafe body(place, UnsafeRawBufferPointer(start: base + offset, count: size))
            offset += size
        }
    }

    /// The range of the pieces of an entry.
    private func range(of entry: Entry) -> Range<Int> {
        let start = Int(entry.start) + UndoLog.headByteCount
        let end = start + number(at: Int(entry.start))
        precondition(end <= count, "an entry ends within its log")
        return start..<end
    }

    private func number(at offset: Int) -> Int {
        guard let base = unsafe base, offset + 4 <= count else { preconditionFailure("a log of this entry") }
        return unsafe Int(UInt32(littleEndian: (base + offset).loadUnaligned(as: UInt32.self)))
    }
}
