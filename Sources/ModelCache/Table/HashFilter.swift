/// A set of mixed hashes that answers "certainly not" in a nanosecond. Of the hashes that are not in the set, it says
/// "maybe" to one in sixteen at most.
///
/// Each hash sets one bit, and there are at least sixteen bits for each hash. Nothing is ever removed; a full filter is
/// made anew.
struct HashFilter: Sendable {
    private var words: [UInt64]
    private let shift: UInt64
    private var room: Int

    /// An empty filter. It has room for `capacity` hashes and as many again that come and go.
    init(capacity: Int) {
        var bits = 1024
        while bits < capacity * 32 { bits *= 2 }
        words = [UInt64](repeating: 0, count: bits / 64)
        shift = UInt64(64 - bits.trailingZeroBitCount)
        room = bits / 16
    }

    /// The filter is full: with more hashes it would say "maybe" too often.
    var isFull: Bool { room == 0 }

    mutating func insert(_ hash: UInt64) {
        let bit = hash &>> shift
        words[Int(bit &>> 6)] |= 1 &<< (bit & 63)
        room -= 1
    }

    @inline(__always)
    func mayContain(_ hash: UInt64) -> Bool {
        let bit = hash &>> shift
        return words[Int(bit &>> 6)] & (1 &<< (bit & 63)) != 0
    }
}
