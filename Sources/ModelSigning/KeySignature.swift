/// A signature, and the id of the key that made it.
struct KeySignature: Hashable, Sendable {
    static let keyIDByteCount = 8
    /// The size on the wire: the id, then the signature.
    static let byteCount = keyIDByteCount + Sodium.signatureByteCount

    /// See ``VerifyingKey/id``.
    let keyID: [UInt8]
    /// The 64 bytes of the signature.
    let bytes: [UInt8]

    /// The signature of a message.
    /// - Complexity: about 20 µs.
    init(of message: [UInt8], by key: SigningKey) {
        keyID = key.publicKey.id
        bytes = Sodium.signature(of: message, secretKey: key.expanded)
    }

    /// The first bytes of something; nil where they are too few.
    init?(prefixOf encoded: Span<UInt8>) {
        guard encoded.count >= KeySignature.byteCount else { return nil }
        keyID = encoded.extracting(..<KeySignature.keyIDByteCount).copied
        bytes = encoded.extracting(KeySignature.keyIDByteCount..<KeySignature.byteCount).copied
    }

    /// The bytes on the wire.
    var encoded: [UInt8] { keyID + bytes }
}

extension Span<UInt8> {
    /// The same bytes as an array, for the few that a seal has.
    var copied: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in indices { bytes.append(self[index]) }
        return bytes
    }
}
