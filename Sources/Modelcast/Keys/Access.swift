public import ModelGrants
import Synchronization
import ZeroMQ

/// The grants that hold now, for the services that serve under them. They may be replaced while these run.
///
/// ```swift
/// let access = Access(try Grants(parsing: text, file: "grants"))
/// configuration.security = Security(keys: keys, access: access)
/// …
/// access.replace(by: try Grants(parsing: newText, file: "grants"))    // all at once, from any thread
/// ```
/// A request that comes after a replacement is answered under the new grants. Who has no grant any more, or other
/// rights to read than before, loses its connections within a second, and may connect again with what it has now.
public final class Access: Sendable {
    private struct State {
        var grants: Grants
        var keys: Set<Curve.PublicKey>
        var version: UInt64 = 0
    }

    private let state: Mutex<State>

    /// The access that these grants give.
    public init(_ grants: Grants) { state = Mutex(State(grants: grants, keys: Access.keys(grants))) }

    /// The grants that hold now.
    public var grants: Grants { state.withLock { $0.grants } }

    /// Lets other grants hold from now on.
    public func replace(by grants: Grants) {
        let keys = Access.keys(grants)
        state.withLock { ($0.grants, $0.keys, $0.version) = (grants, keys, $0.version + 1) }
    }

    /// How often the grants were replaced.
    var version: UInt64 { state.withLock { $0.version } }

    /// The keys that may connect.
    var keys: Set<Curve.PublicKey> { state.withLock { $0.keys } }

    /// The owner of a key; nil where it has no grant.
    func grantee(of key: Curve.PublicKey?) -> Grantee? {
        guard let key else { return nil }
        return state.withLock { $0.grants[key.z85] }.map { Grantee(name: $0.name, rights: $0.rights) }
    }

    /// The keys that may read these types, and no others.
    func keys(reading readable: [NamePattern]) -> Set<Curve.PublicKey> {
        let matching = grants.all.filter { $0.rights.readable == readable }
        return Set(matching.compactMap { Curve.PublicKey(z85: $0.key) })
    }

    private static func keys(_ grants: Grants) -> Set<Curve.PublicKey> {
        Set(grants.keys.compactMap { Curve.PublicKey(z85: $0) })
    }
}

extension Access: Hashable {
    /// Two are equal where they are one.
    public static func == (left: Access, right: Access) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
