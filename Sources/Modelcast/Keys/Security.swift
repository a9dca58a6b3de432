public import ZeroMQ

/// Who a process is and whom it trusts. With it every connection is encrypted, and both sides prove who they are.
///
/// ```swift
/// let keys = try Curve.KeyPair()                      // once; the secret key stays with this process
/// var configuration = PublisherConfiguration(name: "accounts", endpoints: endpoints)
/// configuration.security = Security(keys: keys, clients: [billingPublicKey])
/// ```
/// - A process has one pair of keys, for what it serves and for what it connects to.
/// - Who serves lets in the clients in ``clients`` and nobody else. All that are let in may do everything: subscribe,
///   push, ask.
/// - Who connects knows the public key of each server, and speaks to nobody else in its place.
/// - Keys are read once: for other keys make a new publisher, subscriber or relay.
///
/// The protocol is CURVE, of ZeroMQ. It hides what is sent, not to whom, when and how much.
public struct Security: Hashable, Sendable {
    /// This process's own pair. The secret key shows in no description and no log.
    public var keys: Curve.KeyPair
    /// The public keys of the processes that may connect to this one: subscribers, relays, jobs that push, and who
    /// asks with a ``ControlClient``. Who serves needs at least one.
    public var clients: Set<Curve.PublicKey>
    /// The public key of every server that this process connects to and that is not in ``serversByEndpoint``.
    public var server: Curve.PublicKey?
    /// The public keys of single servers, by control endpoint, spelled as in the configuration. It holds for the
    /// stream, too.
    public var serversByEndpoint: [String: Curve.PublicKey]

    public init(
        keys: Curve.KeyPair, clients: Set<Curve.PublicKey> = [], server: Curve.PublicKey? = nil,
        serversByEndpoint: [String: Curve.PublicKey] = [:]
    ) {
        self.keys = keys
        self.clients = clients
        self.server = server
        self.serversByEndpoint = serversByEndpoint
    }

    /// The domain of all our sockets, which a ZAP handler is asked about.
    static let domain = "modelcast"

    /// Which key a server must prove.
    func serverKey(at endpoint: String) -> Curve.PublicKey? { serversByEndpoint[endpoint] ?? server }

    /// Refuses what would let in nobody.
    func requireClients() throws(ModelcastError) {
        try Security.requireCurve()
        guard !clients.isEmpty else {
            throw ModelcastError(
                .configuration,
                "with keys only known clients come in, and none is known: name their public keys (--client-keys)")
        }
    }

    /// Refuses an endpoint whose server could be anybody.
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

    // MARK: Sockets

    /// Sets a socket up to serve; before it is bound. Nobody comes in but by the handler of its context.
    /// - Parameter security: nil where no keys are used. The domain then keeps out what is no ZMTP 3, above all the
    ///   body of an HTTP request, which would pass for ZMTP 1.0 (libzmq notes, row 21).
    static func serve(_ socket: borrowing Socket, _ security: Security?) throws(ZeroMQError) {
        if let security {
            try socket.set(.curveServer, true)
            try socket.set(.curveSecretKey, security.keys.secretKey)
        }
        try socket.set(.zapDomain, Security.domain)
        try socket.set(.zapEnforceDomain, true)
    }

    /// Sets a socket up to connect to the server with this control endpoint.
    func connect(_ socket: borrowing Socket, control: String) throws(ZeroMQError) {
        guard let server = serverKey(at: control) else {
            preconditionFailure("every server was looked for when the configuration was taken")
        }
        try Security.connect(socket, keys, to: server)
    }

    static func connect(
        _ socket: borrowing Socket, _ keys: Curve.KeyPair, to server: Curve.PublicKey
    ) throws(ZeroMQError) {
        try socket.set(.curvePublicKey, keys.publicKey)
        try socket.set(.curveSecretKey, keys.secretKey)
        try socket.set(.curveServerKey, server)
    }
}

extension PublisherConfiguration {
    /// Refuses to be reached from other machines without protection, and keys that are missing.
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
    /// The same of a relay.
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
    /// The same of a subscriber, which may serve questions.
    func requireProtection() throws(ModelcastError) {
        guard let security else {
            if let control, !allowsRemote { try SenderEndpoints.requireLocal(control) }
            return
        }
        if control != nil { try security.requireClients() }
        for endpoint in publishers { try security.requireServer(at: endpoint) }
    }
}
