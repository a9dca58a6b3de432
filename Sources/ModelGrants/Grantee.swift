/// The owner of a connection: the name that its key was granted, its rights, and its limits.
public struct Grantee: Hashable, Sendable {
    /// The public key, 40 characters of Z85; empty where there are no grants.
    public let key: String
    /// The name for people; empty where there are no grants.
    public let name: String
    /// The rights of its key.
    public let rights: Rights
    /// The limits of its key.
    public let limits: KeyLimits
    /// The types that it may read, as ``Rights/readable`` has them. Made once, as each request is held against it.
    public let readable: [NamePattern]

    /// The owner of a key.
    public init(key: String = "", name: String, rights: Rights, limits: KeyLimits = KeyLimits()) {
        (self.key, self.name, self.rights, self.limits) = (key, name, rights, limits)
        readable = rights.readable
    }

    /// The name for messages, also where there are no grants.
    public var title: String { name.isEmpty ? "a peer" : name }

    /// The owner of any connection where there are no grants: it may do everything.
    public static let anybody = Grantee(name: "", rights: .all)

    /// The reason of a refusal by one of its limits, with the limit as it is written in the grants.
    public func message(_ limit: KeyLimit, _ detail: String) -> String {
        "\(limit.rawValue)=\(limits[limit] ?? 0) is what \(name) may have: \(detail)"
    }
}
