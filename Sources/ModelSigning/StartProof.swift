/// The proof that an owner of a signing key has begun a start of its origin. It stands in heads, and relays hand it on.
///
/// Without it whoever hands on could tell a later start that never was, and the batches of the true one would count as
/// those of an earlier one.
public struct StartProof: Hashable, Sendable {
    /// The size of ``encoded``.
    public static let byteCount = KeySignature.byteCount

    let signature: KeySignature

    init(_ signature: KeySignature) { self.signature = signature }

    /// The proof in these bytes; nil for another number of bytes.
    public init?(encoded: [UInt8]) {
        guard encoded.count == StartProof.byteCount, let signature = KeySignature(prefixOf: encoded.span) else {
            return nil
        }
        self.signature = signature
    }

    /// The key's id, and the signature.
    public var encoded: [UInt8] { signature.encoded }

    /// One of the keys has signed this start of this origin.
    /// - Complexity: about 50 µs.
    public func proves(_ incarnation: UInt64, of origin: String, keys: [VerifyingKey]) -> Bool {
        guard let key = keys.first(where: { $0.id == signature.keyID }) else { return false }
        return key.verifies(signature, of: StartProof.message(origin, incarnation))
    }

    static func message(_ origin: String, _ incarnation: UInt64) -> [UInt8] {
        var message = Array("modelcast start 1".utf8)
        for shift in stride(from: 56, through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: incarnation >> UInt64(shift)))
        }
        return message + Array(origin.utf8)
    }
}
