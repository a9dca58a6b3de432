/// The secret half of a pair of keys for signatures (Ed25519), which one publishing process has.
///
/// The secret shows in no description and no mirror; only ``seed`` has it.
public struct SigningKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The size of ``seed``, in bytes.
    public static let byteCount = 32

    /// The 32 bytes from which both halves are made. A secret.
    public let seed: [UInt8]
    /// The public half, for whoever is to verify.
    public let publicKey: VerifyingKey
    /// The key in the form in which libsodium takes it.
    let expanded: [UInt8]

    /// A new key, of the system's randomness.
    public init() { self.init(valid: Sodium.randomBytes(count: SigningKey.byteCount)) }

    /// The key of a seed; nil unless it has 32 bytes.
    public init?(seed: [UInt8]) {
        guard seed.count == SigningKey.byteCount else { return nil }
        self.init(valid: seed)
    }

    private init(valid seed: [UInt8]) {
        let pair = Sodium.keyPair(seed: seed)
        (self.seed, expanded, publicKey) = (seed, pair.secret, VerifyingKey(valid: pair.public))
    }

    public var description: String { "a signing key" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
