import ModelCBOR
import Synchronization

/// One heap object: a word for the id's hash and the views, the facts, and behind them the record's encoding as section
/// 5 of the protocol article has it, `[id, floor, touched, { * field => [value, stamp, origin] }]`, deterministic.
///
/// ```text
///   0        16                  24             31                                          byteCount later
///   ┌────────┬───────────────────┬──────────────┬──────────────────────────────────────────┬───────────┐
///   │ object │ hash, or 1st view │ RecordFacts  │ 0x84, id, floor, touched, cells          │ directory │
///   └────────┴───────────────────┴──────────────┴──────────────────────────────────────────┴───────────┘
/// ```
/// Only a record that is not small has the directory: see ``CellDirectory``. All but the word is written once, by
/// ``RecordBuilder``, before anybody else can see the object, and changes only where nobody else has the record
/// (``UnmanagedRecord/overwrite(_:_:)``). The word is ``IdentityWord``: until the first ``RecordView`` it holds the
/// hash of the id, then the head of the list of views, each of which has the hash.
final class RecordStorage: ManagedBuffer<Void, UInt8> {
    /// Makes storage for the bytes and the directory that `header` tells of, all of which the caller initialises before
    /// it hands the object on.
    @inline(never)
    static func make(_ header: RecordHeader) -> RecordStorage {
        let capacity = SpareRecords.capacity(ofClass: SpareRecords.sizeClass(header.storedByteCount))
        let buffer = RecordStorage.create(minimumCapacity: ownByteCount + capacity) { _ in () }
        // `create` on a subclass returns an instance of that subclass.
        let storage = unsafe unsafeDowncast(buffer, to: RecordStorage.self)
        unsafe storage.withUnsafeMutablePointerToElements { elements in
            let own = UnsafeMutableRawPointer(elements)
            precondition(
                Int(bitPattern: own) % MemoryLayout<IdentityWord>.alignment == 0, "the word is aligned")
            unsafe own.bindMemory(to: IdentityWord.self, capacity: 1).initialize(to: IdentityWord(0))
        }
        storage.describe(header)
        return storage
    }

    /// The same, in the memory of a record that nobody has any more where there is one.
    @inline(__always)
    static func make(_ header: RecordHeader, spares: inout SpareRecords) -> RecordStorage {
        let spare = spares.take(ofClass: SpareRecords.sizeClass(header.storedByteCount))
        guard let storage = spare else { return make(header) }
        storage.describe(header)
        return storage
    }

    /// Writes down what a new record knows of itself.
    @inline(__always)
    func describe(_ header: RecordHeader) {
        // Relaxed: published with the record.
        withIdentity { $0.store(UInt(header.idHash & ~RecordStorage.viewMark), ordering: .relaxed) }
        // With the first byte of all records, which comes in the same word.
        let facts = UInt64(RecordFacts(header).bits) | 0x84 &<< 56
        unsafe withUnsafeMutablePointerToElements { elements in
            unsafe UnsafeMutableRawPointer(elements + RecordStorage.factsOffset)
                .storeBytes(of: facts.littleEndian, as: UInt64.self)
        }
    }

    deinit { releaseViews() }

    /// The id's hash, its lowest bit 0; or the address of the first view, its lowest bit 1.
    typealias IdentityWord = Atomic<UInt>

    /// Marks an address in the word, which holds a hash without it. The hash's own lowest bit is among the facts.
    static let viewMark: UInt64 = 1

    private static let factsOffset = MemoryLayout<IdentityWord>.size
    /// What stands before the bytes: the word and the facts.
    private static let ownByteCount = factsOffset + RecordFacts.byteCount

    /// What the object takes before the bytes: its own two words, the word, and the facts.
    static let headerByteCount = 16 + ownByteCount

    /// Lends the word for the hash and the views.
    @inline(__always)
    func withIdentity<R>(_ body: (borrowing IdentityWord) -> R) -> R {
        unsafe withUnsafeMutablePointerToElements { elements in
            // Bound so in `make`, and never otherwise.
            let word = unsafe UnsafeMutableRawPointer(elements).assumingMemoryBound(to: IdentityWord.self)
            return unsafe body(word.pointee)
        }
    }

    /// Where the bytes begin. Valid while the storage is alive.
    var start: UnsafeMutablePointer<UInt8> {
        @inline(__always)
        get { unsafe withUnsafeMutablePointerToElements { unsafe $0 + RecordStorage.ownByteCount } }
    }

    /// What the record keeps of itself. Read through the pointer, as a property would be checked for exclusive access
    /// each time, at run time and in vain: it never changes.
    var packed: RecordFacts {
        @inline(__always)
        get {
            unsafe withUnsafeMutablePointerToElements { elements in
                // A word, of which the last byte is the first of the bytes; aligned as the word before.
                let word = unsafe UnsafeRawPointer(elements + RecordStorage.factsOffset).load(as: UInt64.self)
                return RecordFacts(bits: UInt64(littleEndian: word) & RecordFacts.mask)
            }
        }
    }

    /// FNV-1a of the id.
    var idHash: UInt64 {
        @inline(__always)
        get {
            // Acquiring: whoever sees a view sees what is in it.
            let word = UInt64(withIdentity { $0.load(ordering: .acquiring) })
            if word & RecordStorage.viewMark != 0 { return hashOfViews(word) }
            return word | packed.hashBit
        }
    }

    /// All that is known of the bytes.
    var facts: RecordHeader {
        @inline(__always)
        get {
            let packed = packed
            return RecordHeader(
                idHash: idHash, byteCount: packed.byteCount, cellsOffset: packed.cellsOffset,
                cellCount: cellCount, idByteCount: packed.idByteCount, floorByteCount: floorByteCount,
                exists: packed.exists, signposts: packed.signposts)
        }
    }

    /// How many cells there are, read from the head of the map.
    var cellCount: UInt32 {
        @inline(__always)
        get {
            let packed = packed
            let size = packed.mapHeadByteCount
            let head = unsafe start + (Int(packed.cellsOffset) &- size)
            // In bounds: the head stands before the cells, and is of so many bytes.
            if size == 1 { return UInt32(unsafe head.pointee & 0x1F) }
            var count: UInt32 = 0
            for byte in 1..<size { count = unsafe count &<< 8 | UInt32(head[byte]) }
            return count
        }
    }

    /// The size of the encoded floor: that of null, or read from its heads.
    var floorByteCount: UInt8 {
        @inline(__always)
        get { packed.hasFloor ? readFloorByteCount() : 1 }
    }

    @inline(never)
    private func readFloorByteCount() -> UInt8 {
        let bytes = bytes
        let start = packed.idEnd
        // The head of an array of two stands before the stamp.
        let tail = CellTail(bytes, at: start &+ 1)
        return UInt8(truncatingIfNeeded: tail.end &- start)
    }

    /// The record's id is exactly `id`.
    @inline(__always)
    func hasID(_ id: Span<UInt8>) -> Bool {
        let packed = packed
        guard Int(packed.idByteCount) == id.count else { return false }
        return Bytes.areEqual(bytes.extracting(packed.idRange), id)
    }

    /// The encoded record, while the storage is borrowed.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { span(Int(packed.byteCount)) }
    }

    /// The size of the bytes and the directory.
    var storedByteCount: Int {
        @inline(__always)
        get {
            let packed = packed
            let byteCount = Int(packed.byteCount)
            if packed.isSmall { return byteCount }
            return byteCount &+ CellDirectory.byteCount(recordByteCount: byteCount, cellCount: Int(cellCount))
        }
    }

    /// The encoded record and the directory behind it, while the storage is borrowed.
    var stored: Span<UInt8> {
        @_lifetime(borrow self)
        get { span(storedByteCount) }
    }

    /// The first `count` bytes, of which there are ``storedByteCount``.
    @inline(__always)
    @_lifetime(borrow self)
    private func span(_ count: Int) -> Span<UInt8> {
        let start = unsafe UnsafePointer(self.start)
        // The tail allocation holds so many initialised bytes and lives as long as self, which is borrowed.
        let span = unsafe Span(_unsafeStart: start, count: count)
        return unsafe _overrideLifetime(span, borrowing: self)
    }
}
