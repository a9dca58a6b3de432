import Logging
import ModelGrants
public import ModelSigning
public import ZeroMQ

/// The keys of a process, and the keys that it trusts. With them every connection is encrypted, and both sides prove
/// who they are.
///
/// ```swift
/// let keys = try Curve.KeyPair()                      // once; the secret key stays with this process
/// var configuration = PublisherConfiguration(name: "accounts", endpoints: endpoints)
/// configuration.security = Security(keys: keys, clients: [billingPublicKey])
/// ```
/// - A process has one pair of keys, for the endpoints that it serves and for those that it connects to.
/// - A server allows the clients in ``access``, each as far as it was granted. Without that it allows those in
///   ``clients`` and no others, and each of them may do everything: subscribe, push, ask.
/// - A client knows the public key of each server, and does not speak to a server with another key.
/// - Keys are read once. For other keys make a new publisher, subscriber or relay; ``Access/replace(by:)`` lets other
///   grants hold.
///
/// The protocol is CURVE, of ZeroMQ. It hides the content of messages, but not their receivers, times and sizes.
public struct Security: Hashable, Sendable {
    /// The key pair of this process. The secret key shows in no description and no log.
    public var keys: Curve.KeyPair
    /// The key with which a publisher signs all that it sends, so that also those who get it from relays can tell that
    /// it is the publisher's. The grants name its public half (`sign=`), and the types that have to be signed
    /// (`require-signature:`). Nil for no signatures.
    public var signingKey: SigningKey?
    /// The public keys of the processes that may connect to this one: subscribers, relays, jobs that push, and users of
    /// a ``ControlClient``. A process that serves needs at least one.
    public var clients: Set<Curve.PublicKey>
    /// The rights of clients at this process. Where they are set, ``clients`` must be empty; where they are not, each
    /// client may do everything.
    public var access: Access?
    /// The TCP ports for the streams of keys that may read some types only, where a firewall lets only these through.
    /// By default any free port is taken. Keys that may read the same types share a stream, so as many ports are needed
    /// as there are different sets of such types in ``access``.
    public var streamPorts: ClosedRange<UInt16>?
    /// The public key of every server that this process connects to, except for those in ``serversByEndpoint``.
    public var server: Curve.PublicKey?
    /// The public keys of single servers, by control endpoint, spelled as in the configuration. A key holds for the
    /// stream of its server, too.
    public var serversByEndpoint: [String: Curve.PublicKey]

    /// Makes the keys of a process.
    public init(
        keys: Curve.KeyPair, clients: Set<Curve.PublicKey> = [], server: Curve.PublicKey? = nil,
        serversByEndpoint: [String: Curve.PublicKey] = [:], access: Access? = nil, signingKey: SigningKey? = nil
    ) {
        self.access = access
        self.signingKey = signingKey
        self.keys = keys
        self.clients = clients
        self.server = server
        self.serversByEndpoint = serversByEndpoint
    }

    /// The keys that may connect.
    var clientKeys: Set<Curve.PublicKey> { access?.keys ?? clients }

    /// The key that the server at a control endpoint must prove.
    func serverKey(at endpoint: String) -> Curve.PublicKey? { serversByEndpoint[endpoint] ?? server }

    /// Warns where others with the same grants would not believe this process.
    /// - Parameter name: the origin that it is; nil for a relay.
    func tellOwnGrant(as name: String?, _ logger: Logger) {
        guard let access else { return }
        let grantee = access.grantee(of: keys.publicKey)
        let rights = grantee?.rights ?? Rights()
        guard name.map({ !rights.mayBe($0) }) ?? !rights.isRelay else { return }
        logger.warning(
            "those who listen with these grants will not believe this process",
            metadata: [
                "key": "\(grantee?.name ?? keys.publicKey.z85)",
                "advice": "grant its key \(name.map { "publish:TYPE origin=\($0)" } ?? "relay")",
            ])
    }

    /// Warns of types that others with the same grants would not take from this publisher.
    func tellOwnTypes(_ types: [String], as name: String, _ logger: Logger) {
        guard let grantee = access?.grantee(of: keys.publicKey), grantee.rights.mayBe(name) else { return }
        for type in types where !grantee.rights.maySpeak(for: name, of: type) {
            logger.warning(
                "those who listen with these grants will not take this type from this process",
                metadata: [
                    "type": "\(type)", "key": "\(grantee.name)",
                    "advice": "grant its key publish:\(type), or write the type that it was granted",
                ])
        }
    }

    /// Warns where others with the same grants would not take what this publisher writes, for its signatures.
    func tellOwnSignature(as name: String, _ logger: Logger) {
        guard let rules = access?.signatureRules else { return }
        let keys = rules.keys(ofStartsOf: name)
        let ownKeys = signingKey.map { [$0.publicKey] } ?? []
        guard !keys.isEmpty || !ownKeys.isEmpty, !ownKeys.contains(where: keys.contains) else { return }
        // The key is named by sign=, and nothing that it may write has to be signed.
        let named = rules.signers.filter { $0.publication.has(origin: name) }.map(\.key)
        if keys.isEmpty, ownKeys.contains(where: named.contains) { return }
        logger.warning(
            """
            those who listen with these grants drop the batches of this process that have to be signed, and get what \
            it writes late, by copies that prove nothing
            """,
            metadata: [
                "origin": "\(name)",
                "advice": ownKeys.isEmpty
                    ? "give it the signing key that sign= names (--signing-key)"
                    : "its signing key is none that sign= names for it: add sign=KEY to the line of its key",
            ])
    }

    /// Refuses a server's configuration that allows no client.
    func requireClients() throws(ModelcastError) {
        try Security.requireCurve()
        if let access {
            guard clients.isEmpty else {
                throw ModelcastError(
                    .configuration, "grants take the place of a list of clients: name the clients' keys in the grants")
            }
            guard !access.keys.isEmpty else {
                throw ModelcastError(.configuration, "the grants name no key, so nobody could connect")
            }
            return
        }
        guard !clients.isEmpty else {
            throw ModelcastError(
                .configuration,
                "with keys only known clients come in, and none is known: name their public keys and what they may do "
                    + "(--grants), or only the keys (--client-keys)")
        }
    }

    /// Refuses an endpoint for whose server no key is known.
    func requireServer(at endpoint: String) throws(ModelcastError) {
        try Security.requireCurve()
        guard serverKey(at: endpoint) != nil else {
            throw ModelcastError(
                .configuration,
                "with keys the server at \(endpoint) has to prove its own, and none is known: name its public key "
                    + "(--server-key)")
        }
    }

    private static func requireCurve() throws(ModelcastError) {
        guard Curve.isAvailable else {
            throw ModelcastError(
                .configuration, "libzmq \(Context.libraryVersion) was built without CURVE: install one that has it")
        }
    }
}

extension PublisherConfiguration {
    /// Refuses endpoints that other machines can reach without protection, and missing keys.
    func requireProtection() throws(ModelcastError) {
        guard let security else {
            if !allowsRemote { try endpoints?.requireLocal() }
            return
        }
        if endpoints != nil { try security.requireClients() }
        for relay in relays { try security.requireServer(at: relay) }
    }
}

extension RelayConfiguration {
    /// The same for a relay.
    func requireProtection() throws(ModelcastError) {
        guard let security else {
            if !allowsRemote { try endpoints.requireLocal() }
            return
        }
        try security.requireClients()
        for endpoint in publishers { try security.requireServer(at: endpoint) }
    }
}

extension SubscriberConfiguration {
    /// The same for a subscriber, which may have a control endpoint.
    func requireProtection() throws(ModelcastError) {
        guard let security else {
            if let control, !allowsRemote { try SenderEndpoints.requireLocal(control) }
            return
        }
        if control != nil { try security.requireClients() }
        for endpoint in publishers { try security.requireServer(at: endpoint) }
    }
}
