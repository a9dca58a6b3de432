/// A set of mixed hashes that answers "certainly not" in a nanosecond, and is wrong one time in sixteen at most with
/// "maybe".
///
/// One bit a hash, in a bit set of sixteen bits and more for each. Nothing is ever taken out; it is made anew when
/// full.
struct HashFilter: Sendable {
    private var words: [UInt64]
    private let shift: UInt64
    private var room: Int

    /// An empty filter, with room for `capacity` hashes and as many that come and go.
    init(capacity: Int) {
        var bits = 1024
        while bits < capacity * 32 { bits *= 2 }
        words = [UInt64](repeating: 0, count: bits / 64)
        shift = UInt64(64 - bits.trailingZeroBitCount)
        room = bits / 16
    }

    /// With more hashes it would say "maybe" too often.
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
