/// The hash of a bearer token: SHA-256. A token is 256 random bits, so its hash needs no salt and no many rounds.
package enum TokenHash {
    /// The 32 bytes.
    package static func hash(_ token: String) -> [UInt8] { SHA256.hash(token.utf8.span) }
}
