import Synchronization

/// The tables of a cache by name: found without a lock, as every read of a record begins with this.
///
/// With a lock here, threads that read wait for each other at every read, whatever they read.
///
/// An array of addresses in open addressing, at most half full. Places are filled and never emptied. A full index is
/// followed by one of twice the size and stays as it is, as readers may be at work in it. All indexes together are
/// smaller than twice the last one, and are freed with the cache.
// Unchecked because of `base`: the memory is made and freed with the object; what is in it is atomic.
@safe final class TypeIndex: @unchecked Sendable {
    /// The address of a table; 0 for none. Its owner, the directory, keeps each table as long as the index.
    private typealias Word = Atomic<UInt>

    private let base: UnsafeMutablePointer<Word>
    let capacity: Int
    private let seed = UInt64.random(in: .min ... .max)

    /// - Parameter capacity: a power of two.
    init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a capacity is a power of two")
        self.capacity = capacity
        unsafe base = .allocate(capacity: capacity)
        for place in 0..<capacity { unsafe (base + place).initialize(to: Word(0)) }
    }

    deinit {
        unsafe base.deinitialize(count: capacity)
        unsafe base.deallocate()
    }

    /// The table of `name`, if there is one; not counted, as its owner keeps it.
    func table(_ name: String) -> Unmanaged<TypeTable>? {
        var place = home(name)
        while true {
            // In bounds: a place is kept below the capacity. The search ends, as half of the places are empty.
            let address = unsafe base[place].load(ordering: .acquiring)
            guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
            let table = unsafe Unmanaged<TypeTable>.fromOpaque(pointer)
            if unsafe table._withUnsafeGuaranteedRef({ $0.name == name }) { return unsafe table }
            place = (place &+ 1) & (capacity &- 1)
        }
    }

    /// Adds a table of a new name. One thread at a time; the caller keeps the table.
    func insert(_ table: TypeTable) {
        var place = home(table.name)
        while unsafe base[place].load(ordering: .relaxed) != 0 { place = (place &+ 1) & (capacity &- 1) }
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque())
        unsafe base[place].store(address, ordering: .releasing)
    }

    private func home(_ name: String) -> Int {
        Int(truncatingIfNeeded: NameHash.of(name, seed: seed)) & (capacity &- 1)
    }
}
