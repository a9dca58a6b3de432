@_spi(RecordWriting) import ModelRecord

/// The content of a place of a slot array, in eight bytes: the address of a record, 16 bits of its key, a lock bit, and
/// three marks of use.
///
/// ```text
///   63        48 47                                  4  3    2      1     0
///   ┌───────────┬─────────────────────────────────────┬────┬──────┬────┬────┐
///   │ key's end │ the record's address, a multiple of 16 aged│recent│used│lock│    0 in all: empty
///   └───────────┴─────────────────────────────────────┴────┴──────┴────┴────┘
/// ```
/// Whoever unlocks a place marks it as used and recent, which costs nothing, as the word is stored anyway. Only caches
/// with limits look at the marks: see ``SlotArray/unused(in:looks:_:)`` and ``SlotArray/idle(_:)``.
///
/// Addresses of a process end below 2⁴⁸ on x86-64 and ARM64, and those of malloc are multiples of 16; ``init(_:hash:)``
/// checks both. The word has the end of the key, as the beginning of the key decides the place: of two ids in one
/// stretch of places, one in 65,536 is alike.
struct SlotWord: Equatable {
    let bits: UInt64

    /// Set by a reader that is about to take a reference, and by the writer while it overwrites a record; see
    /// ``SlotArray/take(_:_:)``.
    static let lock: UInt64 = 1
    /// Read or changed since the hand of the limits came by.
    static let used: UInt64 = 2
    /// Read or changed since the last look for idle models.
    static let recent: UInt64 = 4
    /// Neither read nor changed between the last two looks for idle models.
    static let aged: UInt64 = 8
    static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFF0
    private static let likenessMask: UInt64 = 0xFFFF &<< 48

    /// The word of an empty place.
    static var empty: SlotWord { SlotWord(bits: 0) }

    @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    /// The word of a record with this key (``SlotArray/key(_:_:)``), which is the mixed hash unless the array is
    /// seeded. The count of the record changes hands.
    /// - Parameter marks: the marks of use that the word has.
    @inline(__always)
    init(_ record: UnmanagedRecord, hash: UInt64, marks: UInt64 = 0) {
        let address = unsafe UInt64(UInt(bitPattern: record.address))
        precondition(address & ~SlotWord.addressMask == 0 && address != 0, "a record's address fits a slot")
        bits = hash &<< 48 | address | marks
    }

    /// The word of another record of the same id as that of `other`, marked as used and recent. The count of the record
    /// changes hands.
    @inline(__always)
    init(_ record: UnmanagedRecord, likeness other: SlotWord) {
        let address = unsafe UInt64(UInt(bitPattern: record.address))
        precondition(address & ~SlotWord.addressMask == 0 && address != 0, "a record's address fits a slot")
        bits = other.bits & SlotWord.likenessMask | address | SlotWord.used | SlotWord.recent
    }

    @inline(__always)
    var isEmpty: Bool { bits == 0 }

    @inline(__always)
    var isLocked: Bool { bits & SlotWord.lock != 0 }

    /// The same word, with the lock.
    @inline(__always)
    var locked: SlotWord { SlotWord(bits: bits | SlotWord.lock) }

    /// The same word, without the lock.
    @inline(__always)
    var unlocked: SlotWord { SlotWord(bits: bits & ~SlotWord.lock) }

    /// The same word, of a record that is being used.
    @inline(__always)
    var inUse: SlotWord { SlotWord(bits: bits | SlotWord.used | SlotWord.recent) }

    /// The marks of use.
    @inline(__always)
    var marks: UInt64 { bits & (SlotWord.used | SlotWord.recent | SlotWord.aged) }

    /// True where the record of the word may be one of this key.
    @inline(__always)
    func resembles(_ hash: UInt64) -> Bool { (bits ^ (hash &<< 48)) &>> 48 == 0 }

    /// Where the record is, to ask for its memory; nil where the place is empty.
    @inline(__always)
    var address: UnsafeRawPointer? { unsafe UnsafeRawPointer(bitPattern: UInt(bits & SlotWord.addressMask)) }

    /// The record; nil where the place is empty. It is not counted: the caller knows why it is alive.
    @inline(__always)
    var record: UnmanagedRecord? {
        guard let address = unsafe address else { return nil }
        return unsafe UnmanagedRecord(address: address)
    }
}
