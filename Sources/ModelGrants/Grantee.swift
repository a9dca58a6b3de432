/// The owner of a connection: the name that its key was granted, and its rights.
public struct Grantee: Hashable, Sendable {
    /// The name for people; empty where there are no grants.
    public let name: String
    /// The rights of its key.
    public let rights: Rights

    /// The owner of a key.
    public init(name: String, rights: Rights) { (self.name, self.rights) = (name, rights) }

    /// The owner of any connection where there are no grants: it may do everything.
    public static let anybody = Grantee(name: "", rights: .all)
}
