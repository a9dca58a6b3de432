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
/// (``UnmanagedRecord/overwrite(_:_:)``). The word is ``IdentityWord``: until the first ``KeptValue`` it holds the
/// hash of the id, then the head of the list of views, each of which has the hash.
final class RecordStorage: ManagedBuffer<Void, UInt8> {
    /// Makes storage for the bytes and the directory that `header` describes. The caller initialises all of them before
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

    /// Makes storage in the memory of a spare record, or in new memory if there is no spare of that size.
    @inline(__always)
    static func make(_ header: RecordHeader, spares: inout SpareRecords) -> RecordStorage {
        let spare = spares.take(ofClass: SpareRecords.sizeClass(header.storedByteCount))
        guard let storage = spare else { return make(header) }
        storage.describe(header)
        return storage
    }

    /// Writes the hash of the id and the facts of a new record.
    @inline(__always)
    func describe(_ header: RecordHeader) {
        // Relaxed, as publishing the record orders this store.
        withIdentity { $0.store(UInt(header.idHash & ~RecordStorage.viewMark), ordering: .relaxed) }
        // The eighth byte of the word is the first byte of every encoding.
        let facts = UInt64(RecordFacts(header).bits) | 0x84 &<< 56
        unsafe withUnsafeMutablePointerToElements { elements in
            unsafe UnsafeMutableRawPointer(elements + RecordStorage.factsOffset)
                .storeBytes(of: facts.littleEndian, as: UInt64.self)
        }
    }

    /// Marks the model as withdrawn, before anybody else sees the record.
    func withdraw() {
        unsafe withUnsafeMutablePointerToElements { elements in
            let word = unsafe UnsafeMutableRawPointer(elements + RecordStorage.factsOffset)
            let facts = unsafe UInt64(littleEndian: word.load(as: UInt64.self)) | RecordFacts.withdrawal
            unsafe word.storeBytes(of: facts.littleEndian, as: UInt64.self)
        }
    }

    deinit { releaseViews() }

    /// The id's hash, its lowest bit 0; or the address of the first view, its lowest bit 1.
    typealias IdentityWord = Atomic<UInt>

    /// Marks the word as an address; a word without the mark is a hash. The lowest bit of the hash itself is among the
    /// facts.
    static let viewMark: UInt64 = 1

    private static let factsOffset = MemoryLayout<IdentityWord>.size
    /// The size of the word and the facts, which stand before the bytes.
    private static let ownByteCount = factsOffset + RecordFacts.byteCount

    /// The size of the object before the bytes: its own two words, the identity word, and the facts.
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

    /// The address of the first byte. Valid while the storage is alive.
    var start: UnsafeMutablePointer<UInt8> {
        @inline(__always)
        get { unsafe withUnsafeMutablePointerToElements { unsafe $0 + RecordStorage.ownByteCount } }
    }

    /// The facts of the record. Read through the pointer: a stored property would be checked for exclusive access at
    /// each read, although the facts never change.
    var packed: RecordFacts {
        @inline(__always)
        get {
            unsafe withUnsafeMutablePointerToElements { elements in
                // The eighth byte of the word is the first of the encoding. The word is aligned, as the one before it
                // is.
                let word = unsafe UnsafeRawPointer(elements + RecordStorage.factsOffset).load(as: UInt64.self)
                return RecordFacts(bits: UInt64(littleEndian: word) & RecordFacts.mask)
            }
        }
    }

    /// FNV-1a of the id.
    var idHash: UInt64 {
        @inline(__always)
        get {
            // Acquiring: a thread that sees a view also sees what is in the view.
            let word = UInt64(withIdentity { $0.load(ordering: .acquiring) })
            if word & RecordStorage.viewMark != 0 { return hashOfViews(word) }
            return word | packed.hashBit
        }
    }

    /// The header of the record, put together from the facts and the encoding.
    var facts: RecordHeader {
        @inline(__always)
        get {
            let packed = packed
            return RecordHeader(
                idHash: idHash, byteCount: packed.byteCount, cellsOffset: packed.cellsOffset,
                cellCount: cellCount, idByteCount: packed.idByteCount, floorByteCount: floorByteCount,
                exists: packed.isPresent, signposts: packed.signposts)
        }
    }

    /// How many cells there are, read from the head of the map.
    var cellCount: UInt32 {
        @inline(__always)
        get {
            let packed = packed
            let size = packed.mapHeadByteCount
            let head = unsafe start + (Int(packed.cellsOffset) &- size)
            // In bounds: the head stands before the cells, and has `size` bytes.
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

    /// True when the record's id is exactly `id`.
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

    /// The first `count` stored bytes; `count` is at most ``storedByteCount``.
    @inline(__always)
    @_lifetime(borrow self)
    private func span(_ count: Int) -> Span<UInt8> {
        let start = unsafe UnsafePointer(self.start)
        // The tail allocation holds `count` initialised bytes and lives as long as self, which is borrowed.
        let span = unsafe Span(_unsafeStart: start, count: count)
        return unsafe _overrideLifetime(span, borrowing: self)
    }
}
