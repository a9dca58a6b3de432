import CPrefetch
import Synchronization

/// Records without readers, whose memory the next records are written into.
///
/// A commit replaces as many records as it makes, mostly of the same sizes. Freeing one and allocating another takes a
/// sixth of the time of an update: an atomic operation, which waits for all stores before it, and two calls of the
/// allocator.
///
/// Why it is safe. A record may be taken when the reference that the writer owns is the only one (``give(_:)`` checks).
/// New references come about in two ways:
///
/// - A reader takes one from the record's slot, while it holds the lock of the slot. The writer has exchanged the slot
///   before it checks, and the exchange waits for the lock. The record is in no other slot, so no reader can come this
///   way any more (`SlotArray.take` of the cache has the full proof).
/// - A holder copies its own reference. There is no other holder.
///
/// So the count cannot rise again, and nobody can read what is written here. A former holder has finished reading
/// before it gave up its reference, and the writer, which sees that the reference is gone, also sees that the reading
/// is over; every copy-on-write value of Swift relies on this. `SpareRecordsOrderTests` plays all orders of the steps
/// of two readers and a writer; `SlotOrderTests` those with slots that move.
///
/// Safe to use: the pointers are private. A list is linked through its records' words for hash and views, which have no
/// other use meanwhile. Each list owns its records.
@safe struct SpareRecords: ~Copyable {
    /// By size class, the address of the first record; 0 where there is none.
    private let heads: UnsafeMutablePointer<UInt>
    /// The capacity of all spare records together, in bytes.
    private(set) var keptByteCount = 0
    /// The size class that frees a record next, when too much is kept.
    private var hand = 0
    /// Counts records that were given when too much was kept.
    private var turn = 0

    /// The number of size classes; larger records are freed.
    private static let classCount = 128
    /// From this capacity on, most records that are given are freed.
    private static let byteCountMax = 1 << 20
    /// How many records are given then until one frees another and is kept.
    private static let turnCount = 8

    init() {
        unsafe heads = .allocate(capacity: SpareRecords.classCount)
        unsafe heads.initialize(repeating: 0, count: SpareRecords.classCount)
    }

    deinit {
        for sizeClass in 0..<SpareRecords.classCount {
            while let storage = unsafe SpareRecords.pop(&heads[sizeClass]) { _ = storage }
        }
        unsafe heads.deallocate()
    }

    /// The size class of records whose bytes and directory take `byteCount` bytes. All records of a class have memory
    /// of the same size.
    @inline(__always)
    static func sizeClass(_ byteCount: Int) -> Int { (byteCount &+ 6) &>> 4 }

    /// The number of bytes that a record of a class can hold. It leaves no byte of malloc's sizes unused: those are 16
    /// n + 8, and 31 bytes stand before the record's (``RecordStorage/headerByteCount``).
    @inline(__always)
    static func capacity(ofClass sizeClass: Int) -> Int { sizeClass &<< 4 &+ 9 }

    /// Takes over a record of which the caller owns a count, unless somebody else holds the record too, or a view is
    /// kept on it.
    /// - Returns: true when the count has been taken over.
    @inline(__always)
    mutating func give(_ record: inout Unmanaged<RecordStorage>) -> Bool {
        guard unsafe RecordStorage.isOnlyReference(&record) else { return false }
        if keptByteCount >= SpareRecords.byteCountMax, !makeRoom() { return false }
        let address = unsafe UInt(bitPattern: record.toOpaque())
        return unsafe record._withUnsafeGuaranteedRef { storage in
            let sizeClass = SpareRecords.sizeClass(storage.storedByteCount)
            guard sizeClass < SpareRecords.classCount else { return false }
            return storage.withIdentity { word in
                // Relaxed, as nobody else has the record.
                guard UInt64(word.load(ordering: .relaxed)) & RecordStorage.viewMark == 0 else { return false }
                unsafe word.store(heads[sizeClass], ordering: .relaxed)
                unsafe heads[sizeClass] = address
                keptByteCount &+= SpareRecords.capacity(ofClass: sizeClass)
                return true
            }
        }
    }

    /// A spare record of a class; nil if there is none. The caller writes a new record into its memory.
    @inline(__always)
    mutating func take(ofClass sizeClass: Int) -> RecordStorage? {
        guard sizeClass < SpareRecords.classCount else { return nil }
        guard let storage = unsafe SpareRecords.pop(&heads[sizeClass]) else { return nil }
        unsafe SpareRecords.prefetch(heads[sizeClass], byteCount: SpareRecords.capacity(ofClass: sizeClass))
        keptByteCount &-= SpareRecords.capacity(ofClass: sizeClass)
        return storage
    }

    /// Frees a record of the class whose turn it is, now and then, so that sizes that are no longer common do not keep
    /// memory for ever. Not each time: the record to be freed is in no cache of the processor, the given one is.
    /// - Returns: false where none was freed, and the given record is to be.
    @inline(never)
    private mutating func makeRoom() -> Bool {
        turn = (turn &+ 1) % SpareRecords.turnCount
        guard turn == 0 else { return false }
        for _ in 0..<SpareRecords.classCount {
            let sizeClass = hand
            hand = (hand &+ 1) % SpareRecords.classCount
            if take(ofClass: sizeClass) != nil { return true }
        }
        return true
    }

    /// Prefetches, for writing, the record that will be taken next: its memory may be in the cache of another core.
    @inline(__always)
    private static func prefetch(_ address: UInt, byteCount: Int) {
        guard let start = unsafe UnsafeRawPointer(bitPattern: address) else { return }
        var offset = 0
        while offset < byteCount &+ RecordStorage.headerByteCount {
            unsafe cprefetch_to_write(start + offset)
            offset &+= 64
        }
    }

    @inline(__always)
    private static func pop(_ head: inout UInt) -> RecordStorage? {
        guard let address = unsafe UnsafeRawPointer(bitPattern: head) else { return nil }
        let storage = unsafe Unmanaged<RecordStorage>.fromOpaque(address).takeRetainedValue()
        storage.withIdentity { word in
            head = word.load(ordering: .relaxed)
            word.store(0, ordering: .relaxed)
        }
        return storage
    }
}

extension RecordStorage {
    /// True when the count that the caller owns is the only one.
    @inline(__always)
    static func isOnlyReference(_ record: inout Unmanaged<RecordStorage>) -> Bool {
        // A reference and an unmanaged one are the same word; no count changes.
        unsafe withUnsafeMutablePointer(to: &record) { pointer in
            unsafe pointer.withMemoryRebound(to: RecordStorage.self, capacity: 1) { reference in
                unsafe isKnownUniquelyReferenced(&reference.pointee)
            }
        }
    }
}
