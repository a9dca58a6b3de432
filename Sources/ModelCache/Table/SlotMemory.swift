import CSlots
import Synchronization

/// Where the slot arrays of a table are: those of less than a page each on its own, larger ones together, one stretch
/// of addresses for the arrays of one capacity of all shards.
///
/// An array that a shard has outgrown may still be looked at by readers, which nobody waits for. So its addresses stay
/// readable as long as the table: small arrays are kept, which add up to less than the first large one; large ones
/// give their pages back to the kernel, and read as zeros: as empty places. What is kept of them is addresses.
///
/// One stretch for all shards, as these grow at about the same time, so that from some 200,000 models on it is in huge
/// pages; an array alone would fill one from six million on.
///
/// Safe to use: touched by the writer alone, and in the end by the table's deinit.
// Unchecked because of the pointers: see above.
@safe struct SlotMemory: @unchecked Sendable {
    /// By capacity, in the order of ``SlotCapacity``: where the arrays of all shards begin.
    private var stretches: [UnsafeMutableRawPointer?] = unsafe []
    private var small: [UnsafeMutablePointer<SlotArray.Place>] = unsafe []

    /// The places of an empty array.
    mutating func make(_ capacity: SlotCapacity, shard: Int) -> UnsafeMutablePointer<SlotArray.Place> {
        guard capacity.isPaged else {
            let base = UnsafeMutablePointer<SlotArray.Place>.allocate(capacity: capacity.count)
            for index in 0..<capacity.count { unsafe (base + index).initialize(to: SlotArray.Place(0)) }
            unsafe small.append(base)
            return unsafe base
        }
        let start = unsafe stretch(capacity) + shard * capacity.byteCount
        // Zeros are initialised places: an atomic word has no more to it. The addresses are bound once, as a shard
        // has each capacity once.
        return unsafe start.bindMemory(to: SlotArray.Place.self, capacity: capacity.count)
    }

    private mutating func stretch(_ capacity: SlotCapacity) -> UnsafeMutableRawPointer {
        while unsafe stretches.count <= capacity.code { unsafe stretches.append(nil) }
        if let known = unsafe stretches[capacity.code] { return unsafe known }
        guard let made = unsafe cslots_map(capacity.byteCount * Shards.count) else {
            preconditionFailure("there is memory for \(capacity.count * Shards.count) slots")
        }
        unsafe stretches[capacity.code] = made
        return unsafe made
    }

    /// Gives the pages of an array back whose places are all empty.
    func drop(_ array: SlotArray, _ capacity: SlotCapacity) {
        guard capacity.isPaged else { return }
        unsafe cslots_drop(array.base, capacity.byteCount)
    }

    /// Frees everything. Nobody may be using it.
    mutating func destroy() {
        for index in unsafe small.indices { unsafe small[index].deallocate() }
        for code in unsafe stretches.indices {
            guard let start = unsafe stretches[code] else { continue }
            unsafe cslots_unmap(start, SlotCapacity(code: code).byteCount * Shards.count)
        }
        unsafe (small, stretches) = ([], [])
    }
}

/// How many places an array can have: a power of two, and from two pages on also one and a half times one, so that an
/// array is between a half and three quarters full.
struct SlotCapacity: Equatable {
    /// Twice the exponent, and 1 for the half.
    let code: Int

    init(code: Int) { self.code = code }

    /// Of a shard's first array.
    static var first: SlotCapacity { SlotCapacity(code: 2) }

    @inline(__always)
    var count: Int { (2 &+ (code & 1)) &<< (code &>> 1) }

    var byteCount: Int { count * MemoryLayout<SlotArray.Place>.size }

    /// Whole pages.
    var isPaged: Bool { byteCount >= SlotCapacity.pageByteCount }

    var next: SlotCapacity { SlotCapacity(code: byteCount < SlotCapacity.pageByteCount * 2 ? code + 2 : code + 1) }

    private static let pageByteCount = cslots_page_size()
}
