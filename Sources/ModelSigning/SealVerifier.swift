/// Verifies the seals of batches. It remembers the roots that it has seen signed, so batches that one signature seals
/// cost one verification together. Not safe to share: one thread owns one verifier.
public struct SealVerifier: Sendable {
    /// A signature that was verified, and what it signs.
    private struct Signed: Hashable {
        // The root comes first, as it tells nearly all apart.
        let root: SealHash
        let signature: KeySignature
        let count: Int
        let key: VerifyingKey
    }

    private var known: [Signed] = []
    /// How many signatures were verified; for tests.
    private(set) var verificationCount = 0
    private var next = 0

    /// How many signatures are remembered; the oldest gives way.
    private static let knownCountMax = 64

    /// A verifier that has seen nothing.
    public init() {}

    /// Looks at the seal of a batch. Any bytes are acceptable.
    /// - Parameters:
    ///   - topic: the topic on which the batch came.
    ///   - frame: the whole frame.
    ///   - keys: the keys that the origin has.
    /// - Complexity: a hash of all bytes, and about 50 µs for the first batch of a signature.
    public mutating func verdict(topic: Span<UInt8>, frame: Span<UInt8>, keys: [VerifyingKey]) -> SealVerdict {
        var content = 0
        guard let seal = BatchSeal(endOf: frame, content: &content) else { return .unsealed }
        guard let key = keys.first(where: { $0.id == seal.keyID }) else { return .unknownKey }
        let root = seal.root(topic: topic, content: frame.extracting(..<content))
        let signed = Signed(root: root, signature: seal.signature, count: seal.position.count, key: key)
        if known.contains(signed) { return .genuine }
        verificationCount += 1
        guard key.verifies(seal.signature, of: BatchSeal.message(of: root, count: seal.position.count)) else {
            return .forged
        }
        remember(signed)
        return .genuine
    }

    private mutating func remember(_ signed: Signed) {
        if known.count < SealVerifier.knownCountMax {
            known.append(signed)
        } else {
            known[next] = signed
            next = (next + 1) % SealVerifier.knownCountMax
        }
    }
}
