/// The owner of a connection: the name that its key was granted, and its rights.
public struct Grantee: Hashable, Sendable {
    /// The name for people; empty where there are no grants.
    public let name: String
    /// The rights of its key.
    public let rights: Rights
    /// The types that it may read, as ``Rights/readable`` has them. Made once, as each request is held against it.
    public let readable: [NamePattern]

    /// The owner of a key.
    public init(name: String, rights: Rights) {
        (self.name, self.rights) = (name, rights)
        readable = rights.readable
    }

    /// The owner of any connection where there are no grants: it may do everything.
    public static let anybody = Grantee(name: "", rights: .all)
}
