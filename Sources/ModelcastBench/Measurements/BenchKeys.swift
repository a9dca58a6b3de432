import Modelcast

/// The keys of an encrypted measurement. They are no secret: both processes are on this host, and their data is random.
enum BenchKeys {
    static func publisher() throws -> Security {
        try Security(keys: pair(1), clients: [pair(2).publicKey])
    }

    static func subscriber() throws -> Security {
        try Security(keys: pair(2), server: pair(1).publicKey)
    }

    private static func pair(_ number: UInt8) throws -> Curve.KeyPair {
        guard let secret = Curve.SecretKey(bytes: [UInt8](repeating: number, count: Curve.keyByteCount)) else {
            throw BenchError("a key of \(Curve.keyByteCount) bytes is none")
        }
        return try Curve.KeyPair(secretKey: secret)
    }
}
