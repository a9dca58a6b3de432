import CSodium

/// The functions of libsodium that are used here. Each call is given buffers of the sizes that libsodium
/// names.
enum Sodium {
    static let signatureByteCount = Int(crypto_sign_BYTES)

    /// libsodium chooses its code by the processor in `sodium_init`, which may be called from any thread, once or more.
    private static let isReady: Bool = {
        precondition(sodium_init() >= 0, "libsodium cannot be started: the system has no randomness")
        return true
    }()

    static func start() { precondition(isReady) }

    static func randomBytes(count: Int) -> [UInt8] {
        start()
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }

    /// The two halves of a key.
    static func keyPair(seed: [UInt8]) -> (public: [UInt8], secret: [UInt8]) {
        start()
        precondition(seed.count == Int(crypto_sign_SEEDBYTES))
        var publicKey = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
        var secretKey = [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES))
        unsafe crypto_sign_seed_keypair(&publicKey, &secretKey, seed)
        return (publicKey, secretKey)
    }

    static func signature(of message: [UInt8], secretKey: [UInt8]) -> [UInt8] {
        precondition(secretKey.count == Int(crypto_sign_SECRETKEYBYTES))
        var signature = [UInt8](repeating: 0, count: signatureByteCount)
        unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
        return signature
    }

    static func verifies(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        precondition(signature.count == signatureByteCount && publicKey.count == Int(crypto_sign_PUBLICKEYBYTES))
        return unsafe crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }
}
