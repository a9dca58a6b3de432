/// The public half of a pair of keys for signatures (Ed25519).
public struct VerifyingKey: Sendable, Hashable {
    /// The size of ``bytes``.
    public static let byteCount = 32

    /// The 32 bytes of the key.
    public let bytes: [UInt8]
    /// The first eight bytes of the hash of the key. A signature names its key so.
    public let id: [UInt8]

    /// Nil unless there are 32 bytes. Bytes that are no key verify nothing.
    public init?(bytes: [UInt8]) {
        guard bytes.count == VerifyingKey.byteCount else { return nil }
        self.init(valid: bytes)
    }

    init(valid bytes: [UInt8]) {
        self.bytes = bytes
        id = Array(SealHash.of(bytes.span).bytes.prefix(KeySignature.keyIDByteCount))
    }

    /// The signature is that of this key, of exactly these bytes.
    /// - Complexity: about 50 µs.
    func verifies(_ signature: KeySignature, of message: [UInt8]) -> Bool {
        signature.keyID == id && Sodium.verifies(signature.bytes, of: message, publicKey: bytes)
    }
}
