/// The rights and limits of one key.
public struct Grant: Hashable, Sendable {
    /// The public key, 40 characters of Z85.
    public let key: String
    /// The name for people, in status and logs. Several keys may have one name, as while a key is replaced.
    public let name: String
    /// The actions that the key may take.
    public internal(set) var rights: Rights
    /// The bounds of what it may take, all its connections together.
    public internal(set) var limits = KeyLimits()
    /// The first line that names the key, counted from 1.
    public let line: Int
}
