public import Logging
import ModelCache
public import ModelGrants
import ModelSigning
import ModelSync
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
        /// The owners of the keys, made once for all requests.
        var grantees: [Curve.PublicKey: Grantee]
        /// The types that have to be signed, and by whom.
        var signatureRules: SignatureRules?
        var version: UInt64 = 0

        init(_ grants: Grants) {
            (self.grants, grantees, signatureRules) = (grants, Access.grantees(grants), SignatureRules(grants))
        }
    }

    private let state: Guarded<State>
    /// The log of grants, of keys that were refused, of writes that were denied, and of names that were taken by
    /// pushing. Nil: the logs of the services have these lines, besides those of grants.
    public let audit: Logger?

    /// The access that these grants give.
    /// - Parameters:
    ///   - grants: the grants that hold until they are replaced.
    ///   - audit: a log with a label of its own, such as `Logger(label: "modelcast.audit")`. It gets no secret key.
    public init(_ grants: Grants, audit: Logger? = nil) {
        state = Guarded(State(grants))
        self.audit = audit
        audit?.notice("grants loaded", metadata: ["keys": "\(grants.all.count)"])
    }

    /// The grants that hold now.
    public var grants: Grants { state.withLock { $0.grants } }

    /// Lets other grants hold from now on.
    public func replace(by grants: Grants) {
        var new = State(grants)
        let old = state.withLock { state in
            new.version = state.version + 1
            defer { state = new }
            return state.grants
        }
        let changes = grants.changes(since: old)
        // Several keys may have one name, as while a key is replaced, so each is told with the beginning of its key.
        func names(_ grants: [Grant]) -> Logger.MetadataValue {
            let names = grants.prefix(32).map { "\($0.name) (\($0.key.prefix(6))…)" }
            return names.isEmpty ? "none" : "\(names.joined(separator: ", "))"
        }
        audit?.notice(
            "grants replaced",
            metadata: [
                "keys": "\(grants.all.count)", "new": names(changes.new), "changed": names(changes.changed),
                "gone": names(changes.gone),
                "signed types": "\(grants.signedTypes.map(\.description).joined(separator: ", "))",
            ])
    }

    /// How often the grants were replaced.
    var version: UInt64 { state.withLock { $0.version } }

    /// The types that have to be signed, and by whom; nil where none has to be.
    var signatureRules: SignatureRules? { state.withLock { $0.signatureRules } }

    /// The keys that may connect.
    var keys: Set<Curve.PublicKey> { state.withLock { Set($0.grantees.keys) } }

    /// The owner of a key; nil where it has no grant.
    func grantee(of key: Curve.PublicKey?) -> Grantee? { key.flatMap { key in state.withLock { $0.grantees[key] } } }

    /// The keys that may read these types, and no others.
    func keys(reading readable: [NamePattern]) -> Set<Curve.PublicKey> {
        state.withLock { Set($0.grantees.filter { $0.value.readable == readable }.keys) }
    }

    private static func grantees(_ grants: Grants) -> [Curve.PublicKey: Grantee] {
        let pairs = grants.all.compactMap { grant in
            Curve.PublicKey(z85: grant.key).map { key in
                (key, Grantee(key: grant.key, name: grant.name, rights: grant.rights, limits: grant.limits))
            }
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension SignatureRules {
    /// The rules of some grants on signatures; nil where nothing has to be signed.
    fileprivate init?(_ grants: Grants) {
        let signers = grants.all.flatMap { grant in
            grant.rights.publications.flatMap { publication in
                publication.signingKeys.compactMap { text in
                    Curve.decodeZ85(text).flatMap { VerifyingKey(bytes: $0) }
                        .map { Signer(publication, key: $0) }
                }
            }
        }
        self.init(signedTypes: grants.signedTypes, signers: signers)
    }
}

extension Access: Hashable {
    /// Two are equal where they are one.
    public static func == (left: Access, right: Access) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
