import ModelCBOR
import Synchronization

/// What a record knows about its bytes without reading them.
struct RecordHeader {
    /// FNV-1a of the id.
    var idHash: UInt64
    /// The size of the encoded record.
    var byteCount: UInt32
    /// Where the first cell begins.
    var cellsOffset: UInt32
    /// How many cells there are.
    var cellCount: UInt32
    /// The size of the id.
    var idByteCount: UInt8
    /// The size of the encoded floor, behind the id; `touched` stands behind it.
    var floorByteCount: UInt8
    /// The model exists: touched is not below floor.
    var exists: Bool
    /// Where each cell begins stands behind the record's bytes; see ``CellDirectory``.
    var hasDirectory = false

    /// Where the id's text stands.
    @inline(__always)
    var idRange: Range<Int> {
        let start = RecordHeader.idOffset(Int(idByteCount))
        return start..<(start &+ Int(idByteCount))
    }

    /// Where `touched` begins.
    @inline(__always)
    var touchedOffset: Int { idRange.upperBound &+ Int(floorByteCount) }

    /// Where an id of `byteCount` bytes begins: behind the array's head and the text's head.
    @inline(__always)
    static func idOffset(_ byteCount: Int) -> Int {
        1 &+ RecordBuilder.headSize(UInt64(truncatingIfNeeded: byteCount))
    }

    /// The size of the bytes and the directory.
    @inline(__always)
    var storedByteCount: Int { Int(byteCount) &+ (hasDirectory ? CellDirectory.byteCount(Int(cellCount)) : 0) }
}

/// One heap object: the header, a word for the views, and behind it the record's encoding as section 5 of the protocol
/// article has it, `[id, floor, touched, { * field => [value, stamp, origin] }]`, deterministic.
///
/// The bytes are written once, by ``RecordBuilder``, before anybody else can see the object, and never again. The word
/// is the head of a list of ``RecordView``; see there.
final class RecordStorage: ManagedBuffer<RecordHeader, UInt8> {
    /// Makes storage for the bytes and the directory that `header` tells of, all of which the caller initialises before
    /// it hands the object on.
    static func make(_ header: RecordHeader) -> RecordStorage {
        let capacity = SpareRecords.capacity(ofClass: SpareRecords.sizeClass(header.storedByteCount))
        let buffer = RecordStorage.create(minimumCapacity: viewsByteCount + capacity) { _ in header }
        precondition(MemoryLayout<RecordHeader>.size % viewsByteCount == 0, "the word for the views is aligned")
        // `create` on a subclass returns an instance of that subclass.
        let storage = unsafe unsafeDowncast(buffer, to: RecordStorage.self)
        unsafe storage.withUnsafeMutablePointerToElements { elements in
            let word = unsafe UnsafeMutableRawPointer(elements).bindMemory(to: ViewsWord.self, capacity: 1)
            unsafe word.initialize(to: ViewsWord(0))
        }
        return storage
    }

    /// The same, in the memory of a record that nobody has any more where there is one.
    @inline(__always)
    static func make(_ header: RecordHeader, spares: inout SpareRecords) -> RecordStorage {
        let spare = spares.take(ofClass: SpareRecords.sizeClass(header.storedByteCount))
        guard let storage = spare else { return make(header) }
        unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee = header }
        return storage
    }

    deinit { releaseViews() }

    /// The address of the first view; 0 where there is none.
    typealias ViewsWord = Atomic<UInt>

    private static let viewsByteCount = MemoryLayout<ViewsWord>.size

    /// What the object takes before the bytes: its own two words, the header, the word for the views. The word is at a
    /// multiple of its size, as the header is of whole words.
    static let headerByteCount = 16 + MemoryLayout<RecordHeader>.size + viewsByteCount

    /// Lends the word for the views.
    @inline(__always)
    func withViews<R>(_ body: (borrowing ViewsWord) -> R) -> R {
        unsafe withUnsafeMutablePointerToElements { elements in
            // Bound so in `make`, and never otherwise.
            let word = unsafe UnsafeMutableRawPointer(elements).assumingMemoryBound(to: ViewsWord.self)
            return unsafe body(word.pointee)
        }
    }

    /// Where the bytes begin. Valid while the storage is alive.
    var start: UnsafeMutablePointer<UInt8> {
        @inline(__always)
        get { unsafe withUnsafeMutablePointerToElements { unsafe $0 + RecordStorage.viewsByteCount } }
    }

    /// The header. Read through the pointer, as `header` would be checked for exclusive access each time, at run time
    /// and in vain: it never changes. A merge reads it a dozen times.
    var facts: RecordHeader {
        @inline(__always)
        get { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee } }
    }

    /// The record's id is exactly `id`.
    @inline(__always)
    func hasID(_ id: Span<UInt8>) -> Bool {
        Bytes.areEqual(bytes.extracting(facts.idRange), id)
    }

    /// The encoded record, while the storage is borrowed.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { span(Int(facts.byteCount)) }
    }

    /// The encoded record and the directory behind it, while the storage is borrowed.
    var stored: Span<UInt8> {
        @_lifetime(borrow self)
        get { span(facts.storedByteCount) }
    }

    /// The first `count` bytes, of which there are ``RecordHeader/storedByteCount``.
    @inline(__always)
    @_lifetime(borrow self)
    private func span(_ count: Int) -> Span<UInt8> {
        let start = unsafe UnsafePointer(self.start)
        // The tail allocation holds so many initialised bytes and lives as long as self, which is borrowed.
        let span = unsafe Span(_unsafeStart: start, count: count)
        return unsafe _overrideLifetime(span, borrowing: self)
    }
}
