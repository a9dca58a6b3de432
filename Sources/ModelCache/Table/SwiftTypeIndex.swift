import Synchronization

/// The tables of a cache by the Swift types that view them. A table is found without a lock and without hashing a name.
///
/// An entry is filled once and never changed. Where there are more types than entries, the others are found by name.
@safe struct SwiftTypeIndex: ~Copyable, Sendable {
    /// A Swift type and the address of its table.
    private struct TypeEntry: ~Copyable {
        /// 0 while the entry is free. Set after `table`.
        let type = Atomic<UInt>(0)
        let table = Atomic<UInt>(0)
    }

    // The memory is made and freed with the index; what is in it is atomic.
    nonisolated(unsafe) private let entries: UnsafeMutablePointer<TypeEntry>
    private static let count = 64
    /// Some type has found no free entry.
    private let isFull = Atomic<Bool>(false)

    init() {
        unsafe entries = .allocate(capacity: SwiftTypeIndex.count)
        for index in 0..<SwiftTypeIndex.count { unsafe (entries + index).initialize(to: TypeEntry()) }
    }

    deinit {
        unsafe entries.deinitialize(count: SwiftTypeIndex.count)
        unsafe entries.deallocate()
    }

    private static func key(_ type: ObjectIdentifier) -> UInt { UInt(bitPattern: type) }

    /// The index of the entry of a type, unless another type has taken that. Addresses of metadata are some tens of
    /// bytes apart.
    @inline(__always)
    private static func home(_ key: UInt) -> Int { Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> 58) }

    /// The table of a Swift type, if it has been noted.
    @inline(__always)
    func table(_ type: ObjectIdentifier) -> Unmanaged<TypeTable>? {
        let key = SwiftTypeIndex.key(type)
        var index = SwiftTypeIndex.home(key)
        for _ in 0..<SwiftTypeIndex.count {
            // In bounds: the index is kept below the count. Acquiring: the table was stored before.
            let found = unsafe entries[index].type.load(ordering: .acquiring)
            if found == key {
                let address = unsafe entries[index].table.load(ordering: .relaxed)
                return unsafe UnsafeRawPointer(bitPattern: address).map { unsafe .fromOpaque($0) }
            }
            if found == 0 { return nil }
            index = (index &+ 1) & (SwiftTypeIndex.count &- 1)
        }
        return nil
    }

    /// True while there may be a free entry. A hint, which spares the readers of other types a lock.
    var hasRoom: Bool { !isFull.load(ordering: .relaxed) }

    /// Notes a type, if there is a free entry. One thread at a time; the caller keeps the table.
    func insert(_ type: ObjectIdentifier, _ table: TypeTable) {
        let key = SwiftTypeIndex.key(type)
        var index = SwiftTypeIndex.home(key)
        for _ in 0..<SwiftTypeIndex.count {
            let found = unsafe entries[index].type.load(ordering: .relaxed)
            if found == key { return }
            if found == 0 {
                let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque())
                unsafe entries[index].table.store(address, ordering: .relaxed)
                unsafe entries[index].type.store(key, ordering: .releasing)
                return
            }
            index = (index &+ 1) & (SwiftTypeIndex.count &- 1)
        }
        isFull.store(true, ordering: .relaxed)
    }
}
