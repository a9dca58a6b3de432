import Modelcast

/// How the processes of a measurement are protected.
public enum BenchProtection: String, Codable, Sendable {
    /// Not at all: everything stays on this host.
    case nothing
    /// With CURVE; each key may do everything.
    case keys
    /// With CURVE and grants: the subscriber may read the types of the measurement and no others, and believes the
    /// publisher on what it may write.
    case grants
    /// With CURVE, grants, and signatures: the publisher signs what it sends, and the subscriber takes nothing else.
    case signatures

    /// The keys and grants of the publisher. The keys are no secret: both processes are on this host, and their data is
    /// random.
    func publisher() throws -> Security? {
        switch self {
        case .nothing: nil
        case .keys: try Security(keys: BenchProtection.pair(1), clients: [BenchProtection.pair(2).publicKey])
        case .grants: try Security(keys: BenchProtection.pair(1), access: BenchProtection.access())
        case .signatures:
            try Security(
                keys: BenchProtection.pair(1), access: BenchProtection.access(isSigned: true),
                signingKey: BenchProtection.signingKey())
        }
    }

    /// The keys and grants of the subscriber.
    func subscriber() throws -> Security? {
        switch self {
        case .nothing: nil
        case .keys: try Security(keys: BenchProtection.pair(2), server: BenchProtection.pair(1).publicKey)
        case .grants:
            try Security(
                keys: BenchProtection.pair(2), server: BenchProtection.pair(1).publicKey,
                access: BenchProtection.access())
        case .signatures:
            try Security(
                keys: BenchProtection.pair(2), server: BenchProtection.pair(1).publicKey,
                access: BenchProtection.access(isSigned: true))
        }
    }

    private static func access(isSigned: Bool = false) throws -> Access {
        let key = Curve.encodeZ85(try signingKey().publicKey.bytes) ?? ""
        return try Access(
            Grants(
                parsing: """
                    grant \(pair(1).publicKey.z85) bench publish:Bench* origin=bench\(isSigned ? " sign=\(key)" : "")
                    grant \(pair(2).publicKey.z85) bench-subscriber subscribe:Bench*
                    \(isSigned ? "require-signature:Bench*" : "")
                    """))
    }

    private static func signingKey() throws -> SigningKey {
        guard let key = SigningKey(seed: [UInt8](repeating: 3, count: SigningKey.byteCount)) else {
            throw BenchError("a seed of \(SigningKey.byteCount) bytes is none")
        }
        return key
    }

    private static func pair(_ number: UInt8) throws -> Curve.KeyPair {
        guard let secret = Curve.SecretKey(bytes: [UInt8](repeating: number, count: Curve.keyByteCount)) else {
            throw BenchError("a key of \(Curve.keyByteCount) bytes is none")
        }
        return try Curve.KeyPair(secretKey: secret)
    }
}
