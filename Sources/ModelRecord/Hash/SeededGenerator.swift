/// A seeded source of randomness: the same seed gives the same numbers on every machine.
///
/// Unfit for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator for `seed`.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Fingerprint.mix(state)
    }
}
