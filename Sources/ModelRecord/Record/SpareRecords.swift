import CPrefetch
import Synchronization

/// Records that nobody has any more: the next ones are written into their memory.
///
/// A commit replaces as many records as it makes, mostly of the same sizes. To free one and allocate another takes a
/// sixth of the time of an update: an atomic operation, which waits for all stores before it, and two calls of the
/// allocator.
///
/// Why it is safe. A record may be taken when the count of references that the writer owns is the only one
/// (``give(_:)`` asks). A reference comes to be in two ways. A reader takes one from the record's slot, while he has
/// that locked; the writer has exchanged the slot, which waits for the lock, before it asks, and the record is in no
/// other slot, so no reader can come this way any more (`SlotArray.take` of the cache has that in full). Or somebody
/// copies a reference that he has; but there is none. So the count cannot rise again, and nobody can read what is
/// written here. Whoever had a reference has read before he gave it up, and to see his giving up is to see that his
/// reading is over, which is what every copy-on-write value of Swift relies on. `SpareRecordsOrderTests` plays all
/// orders of the steps of two readers and a writer; `SlotOrderTests` those with slots that move.
///
/// Safe to use: the pointers are private; a list is linked through its records' words for hash and views, which are of
/// no other use meanwhile; and each record in a list is owned by it.
@safe struct SpareRecords: ~Copyable {
    /// By size class, the address of the first record; 0 where there is none.
    private let heads: UnsafeMutablePointer<UInt>
    /// What all of them can hold together.
    private(set) var keptByteCount = 0
    /// The class that is to free one next, when there are too many.
    private var hand = 0

    /// Larger records are freed.
    private static let classCount = 128
    /// More than this is not kept, but for one record.
    private static let byteCountMax = 1 << 20

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

    /// The class of records whose bytes and directory take so much: all of a class have the same memory.
    @inline(__always)
    static func sizeClass(_ byteCount: Int) -> Int { (byteCount &+ 6) &>> 4 }

    /// What a record of a class can hold. It leaves no byte of malloc's sizes unused, which are of 16 n + 8, as 31
    /// bytes stand before the record's (``RecordStorage/headerByteCount``).
    @inline(__always)
    static func capacity(ofClass sizeClass: Int) -> Int { sizeClass &<< 4 &+ 9 }

    /// Takes a record that the caller owns one count of, unless somebody else has it, too, or something is kept on it.
    /// - Returns: whether the count has been taken over.
    @inline(__always)
    mutating func give(_ record: inout Unmanaged<RecordStorage>) -> Bool {
        guard unsafe RecordStorage.isOnlyReference(&record) else { return false }
        if keptByteCount >= SpareRecords.byteCountMax { freeOne() }
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

    /// A record of a class, whose bytes are to be written, and then are those of a new record.
    @inline(__always)
    mutating func take(ofClass sizeClass: Int) -> RecordStorage? {
        guard sizeClass < SpareRecords.classCount else { return nil }
        guard let storage = unsafe SpareRecords.pop(&heads[sizeClass]) else { return nil }
        unsafe SpareRecords.prefetch(heads[sizeClass], byteCount: SpareRecords.capacity(ofClass: sizeClass))
        keptByteCount &-= SpareRecords.capacity(ofClass: sizeClass)
        return storage
    }

    /// Frees a record of the class whose turn it is: sizes that were common once do not keep the place for ever.
    @inline(never)
    private mutating func freeOne() {
        for _ in 0..<SpareRecords.classCount {
            let sizeClass = hand
            hand = (hand &+ 1) % SpareRecords.classCount
            if take(ofClass: sizeClass) != nil { return }
        }
    }

    /// Asks for the memory of the record that will be taken next, to write: who had it last may be another core.
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
    /// Nobody but the caller, who owns one, has a count of the record.
    @inline(__always)
    static func isOnlyReference(_ record: inout Unmanaged<RecordStorage>) -> Bool {
        // A reference and an unmanaged one are the same word; nothing is counted.
        unsafe withUnsafeMutablePointer(to: &record) { pointer in
            unsafe pointer.withMemoryRebound(to: RecordStorage.self, capacity: 1) { reference in
                unsafe isKnownUniquelyReferenced(&reference.pointee)
            }
        }
    }
}
