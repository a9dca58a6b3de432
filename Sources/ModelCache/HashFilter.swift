/// A set of mixed hashes that answers "certainly not" in a nanosecond, and is wrong one time in sixteen at most with
/// "maybe".
///
/// One bit a hash, in a bit set of sixteen bits and more for each. Nothing is ever taken out; it is made anew when
/// full.
struct HashFilter {
    private var words: [UInt64]
    private let shift: UInt64

    /// An empty filter.
    init() { self.init([UInt64]()) }

    /// A filter of `hashes`, with room for as many again.
    init(_ hashes: some Collection<UInt64>) {
        var bits = 1024
        while bits < hashes.count * 32 { bits *= 2 }
        words = [UInt64](repeating: 0, count: bits / 64)
        shift = UInt64(64 - bits.trailingZeroBitCount)
        for hash in hashes { insert(hash) }
    }

    /// With so many hashes it would say "maybe" too often.
    func isFull(_ count: Int) -> Bool { count * 16 > words.count * 64 }

    mutating func insert(_ hash: UInt64) {
        let bit = hash &>> shift
        words[Int(bit &>> 6)] |= 1 &<< (bit & 63)
    }

    func mayContain(_ hash: UInt64) -> Bool {
        let bit = hash &>> shift
        return words[Int(bit &>> 6)] & (1 &<< (bit & 63)) != 0
    }
}
