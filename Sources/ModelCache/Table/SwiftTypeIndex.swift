import Synchronization

/// The tables of a cache by the Swift types that view them. A table is found without a lock and without hashing a name.
///
/// A place is filled once and never changed. Where there are more types than places, the others are found by name.
@safe struct SwiftTypeIndex: ~Copyable, Sendable {
    /// A Swift type and the address of its table.
    private struct Place: ~Copyable {
        /// 0 while the place is free. Set after `table`.
        let type = Atomic<UInt>(0)
        let table = Atomic<UInt>(0)
    }

    // The memory is made and freed with the index; what is in it is atomic.
    nonisolated(unsafe) private let places: UnsafeMutablePointer<Place>
    private static let count = 64
    /// Some type has found no free place.
    private let isFull = Atomic<Bool>(false)

    init() {
        unsafe places = .allocate(capacity: SwiftTypeIndex.count)
        for place in 0..<SwiftTypeIndex.count { unsafe (places + place).initialize(to: Place()) }
    }

    deinit {
        unsafe places.deinitialize(count: SwiftTypeIndex.count)
        unsafe places.deallocate()
    }

    private static func key(_ type: ObjectIdentifier) -> UInt { UInt(bitPattern: type) }

    /// The place of a type unless another type has taken it. Addresses of metadata are some tens of bytes apart.
    @inline(__always)
    private static func home(_ key: UInt) -> Int { Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> 58) }

    /// The table of a Swift type, if it has been noted.
    @inline(__always)
    func table(_ type: ObjectIdentifier) -> Unmanaged<TypeTable>? {
        let key = SwiftTypeIndex.key(type)
        var place = SwiftTypeIndex.home(key)
        for _ in 0..<SwiftTypeIndex.count {
            // In bounds: a place is kept below the count. Acquiring: the table was stored before.
            let found = unsafe places[place].type.load(ordering: .acquiring)
            if found == key {
                let address = unsafe places[place].table.load(ordering: .relaxed)
                return unsafe UnsafeRawPointer(bitPattern: address).map { unsafe .fromOpaque($0) }
            }
            if found == 0 { return nil }
            place = (place &+ 1) & (SwiftTypeIndex.count &- 1)
        }
        return nil
    }

    /// True while there may be a free place. A hint, which spares the readers of other types a lock.
    var hasRoom: Bool { !isFull.load(ordering: .relaxed) }

    /// Notes a type, if there is a free place. One thread at a time; the caller keeps the table.
    func insert(_ type: ObjectIdentifier, _ table: TypeTable) {
        let key = SwiftTypeIndex.key(type)
        var place = SwiftTypeIndex.home(key)
        for _ in 0..<SwiftTypeIndex.count {
            let found = unsafe places[place].type.load(ordering: .relaxed)
            if found == key { return }
            if found == 0 {
                let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque())
                unsafe places[place].table.store(address, ordering: .relaxed)
                unsafe places[place].type.store(key, ordering: .releasing)
                return
            }
            place = (place &+ 1) & (SwiftTypeIndex.count &- 1)
        }
        isFull.store(true, ordering: .relaxed)
    }
}
