import CSlots
import Synchronization

/// The memory of a table's slot arrays. An array of less than a page is allocated alone. The larger arrays of one
/// capacity, for all shards, share one stretch of addresses.
///
/// Readers may still look at an array that a shard has outgrown, and the writer does not wait for them. So the
/// addresses of an array stay readable as long as the table. Small arrays are kept; together they take less than the
/// first large one. Large arrays give their pages back to the kernel and read as zeros, which are empty places. Only
/// their addresses are kept.
///
/// The shards share a stretch because they grow at about the same time. So the stretch is in huge pages from some
/// 200,000 models on; an array alone would fill a huge page from six million on.
///
/// Safe to use: only the writer touches it, and in the end the table's deinit.
// Unchecked because of the pointers: see above.
@safe struct SlotMemory: @unchecked Sendable {
    /// Where the arrays of all shards begin, by capacity, in the order of ``SlotCapacity/code``.
    private var stretches: [UnsafeMutableRawPointer?] = unsafe []
    private var small: [UnsafeMutablePointer<SlotArray.Word>] = unsafe []

    /// The places of an empty array.
    mutating func make(_ capacity: SlotCapacity, shard: Int) -> UnsafeMutablePointer<SlotArray.Word> {
        guard capacity.isPaged else {
            let base = UnsafeMutablePointer<SlotArray.Word>.allocate(capacity: capacity.count)
            for index in 0..<capacity.count { unsafe (base + index).initialize(to: SlotArray.Word(0)) }
            unsafe small.append(base)
            return unsafe base
        }
        let start = unsafe stretch(capacity) + shard * capacity.byteCount
        // Zeros are initialised places, as an atomic word consists of nothing else. The addresses are bound once, as a
        // shard has each capacity once.
        return unsafe start.bindMemory(to: SlotArray.Word.self, capacity: capacity.count)
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

    /// Gives back the pages of an array whose places are all empty.
    func drop(_ array: SlotArray, _ capacity: SlotCapacity) {
        guard capacity.isPaged else { return }
        unsafe cslots_drop(array.base, capacity.byteCount)
    }

    /// Frees everything. Called when no thread uses the arrays any more.
    mutating func destroy() {
        for index in unsafe small.indices { unsafe small[index].deallocate() }
        for code in unsafe stretches.indices {
            guard let start = unsafe stretches[code] else { continue }
            unsafe cslots_unmap(start, SlotCapacity(code: code).byteCount * Shards.count)
        }
        unsafe (small, stretches) = ([], [])
    }
}

/// The number of places of an array: a power of two, and from two pages on also one and a half times a power of two. So
/// an array is between a half and three quarters full.
struct SlotCapacity: Equatable {
    /// Twice the exponent of the power of two, plus 1 for one and a half times.
    let code: Int

    init(code: Int) { self.code = code }

    /// The capacity of a shard's first array.
    static var first: SlotCapacity { SlotCapacity(code: 2) }

    @inline(__always)
    var count: Int { (2 &+ (code & 1)) &<< (code &>> 1) }

    var byteCount: Int { count * MemoryLayout<SlotArray.Word>.size }

    /// True where the array takes whole pages.
    var isPaged: Bool { byteCount >= SlotCapacity.pageByteCount }

    var next: SlotCapacity { SlotCapacity(code: byteCount < SlotCapacity.pageByteCount * 2 ? code + 2 : code + 1) }

    private static let pageByteCount = cslots_page_size()
}
