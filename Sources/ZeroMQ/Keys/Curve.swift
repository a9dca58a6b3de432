internal import CLibZMQ

/// Keys of CURVE, the encryption and authentication of ZMTP, and the Z85 text form that libzmq uses for them.
public enum Curve {
    /// A key of either sort has this many bytes, and 40 characters as Z85.
    public static let keyByteCount = 32

    /// Whether the loaded libzmq was built with CURVE (Debian's is).
    public static var isAvailable: Bool { unsafe zmq_has("curve") == 1 }

    /// The public half of a key pair, which is no secret.
    public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
        /// The 32 bytes of the key.
        public let bytes: [UInt8]

        /// Nil unless there are 32 bytes.
        public init?(bytes: [UInt8]) {
            guard bytes.count == keyByteCount else { return nil }
            self.bytes = bytes
        }

        /// Nil unless the text is 40 characters of Z85.
        public init?(z85: String) {
            guard let bytes = decodeZ85(z85) else { return nil }
            self.init(bytes: bytes)
        }

        /// The key as 40 characters of Z85.
        public var z85: String { encodeZ85(bytes) ?? "" }
        /// The same as ``z85``.
        public var description: String { z85 }
    }

    /// The secret half of a key pair. It shows only in ``z85`` and ``bytes``, never in a description or a mirror.
    public struct SecretKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// The 32 bytes of the key.
        public let bytes: [UInt8]

        /// Nil unless there are 32 bytes.
        public init?(bytes: [UInt8]) {
            guard bytes.count == keyByteCount else { return nil }
            self.bytes = bytes
        }

        /// Nil unless the text is 40 characters of Z85.
        public init?(z85: String) {
            guard let bytes = decodeZ85(z85) else { return nil }
            self.init(bytes: bytes)
        }

        /// The key as 40 characters of Z85.
        public var z85: String { encodeZ85(bytes) ?? "" }
        /// A fixed text without the key.
        public var description: String { "secret key" }
        /// A mirror without the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// A secret key and its public key.
    public struct KeyPair: Hashable, Sendable {
        /// The half that others may know.
        public let publicKey: PublicKey
        /// The half that stays here.
        public let secretKey: SecretKey

        /// Makes a random pair.
        ///
        /// - Throws: ``ZeroMQError/Code/notSupportedBySocket`` where libzmq lacks CURVE.
        public init() throws(ZeroMQError) {
            var publicText = [CChar](repeating: 0, count: 41)
            var secretText = publicText
            try check("zmq_curve_keypair") { unsafe clibzmq_result(zmq_curve_keypair(&publicText, &secretText)) }
            guard let publicKey = PublicKey(z85: text(publicText)), let secretKey = SecretKey(z85: text(secretText))
            else { throw failure(-EINVAL, "zmq_curve_keypair") }
            self.publicKey = publicKey
            self.secretKey = secretKey
        }

        /// Makes the pair of a secret key. The public key follows from it.
        ///
        /// - Throws: ``ZeroMQError/Code/notSupportedBySocket`` where libzmq lacks CURVE.
        public init(secretKey: SecretKey) throws(ZeroMQError) {
            var publicText = [CChar](repeating: 0, count: 41)
            try check("zmq_curve_public") { unsafe clibzmq_result(zmq_curve_public(&publicText, secretKey.z85)) }
            guard let publicKey = PublicKey(z85: text(publicText)) else { throw failure(-EINVAL, "zmq_curve_public") }
            self.publicKey = publicKey
            self.secretKey = secretKey
        }
    }

    /// The Z85 text of some bytes; nil unless their number is a multiple of four.
    public static func encodeZ85(_ bytes: [UInt8]) -> String? {
        guard bytes.count.isMultiple(of: 4) else { return nil }
        var characters = [CChar](repeating: 0, count: bytes.count / 4 * 5 + 1)
        guard unsafe zmq_z85_encode(&characters, bytes, bytes.count) != nil else { return nil }
        return text(characters)
    }

    /// The bytes of Z85 text; nil unless it is well formed.
    public static func decodeZ85(_ text: String) -> [UInt8]? {
        let characterCount = text.utf8.count
        guard characterCount.isMultiple(of: 5), text.utf8.allSatisfy({ (33...126).contains($0) }) else { return nil }
        guard characterCount > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: characterCount / 5 * 4)
        // As many bytes as libzmq writes for this many characters, none of which is a NUL.
        guard unsafe zmq_z85_decode(&bytes, text) != nil else { return nil }
        return bytes
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
