/// Random numbers that are the same for the same seed, at a nanosecond each (xorshift64*).
public struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// The generator of a seed.
    public init(seed: UInt64) {
        // The seed is spread over all bits, so that the numbers of neighbouring seeds differ. The state is never 0.
        state = ((seed &+ 1) &* 0x9E37_79B9_7F4A_7C15) | 1
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state ^= state &>> 12
        state ^= state &<< 25
        state ^= state &>> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    /// A number of 0..<count, close enough to uniform for a load.
    @inline(__always)
    mutating func below(_ count: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(count)).high) }

    /// A random text of lower-case letters and digits.
    mutating func text(_ count: Int) -> String {
        let alphabet = SeededNumbers.alphabet
        return String(decoding: (0..<count).map { _ in alphabet[below(alphabet.count)] }, as: UTF8.self)
    }
}
