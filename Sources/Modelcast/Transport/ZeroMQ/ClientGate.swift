import Logging
import ModelSync
import ZeroMQ

/// Allows clients whose keys are allowed, and counts the others. Without keys it allows every client that speaks ZMTP
/// 3, and no other, such as a web page that sends bytes to the port. One gate serves all sockets of a sender; it
/// belongs to their thread.
final class ClientGate {
    private var handler: ZAPHandler
    private let handlerToken: Poller.Token
    private let logger: Logger
    private let hasKeys: Bool
    /// The keys that may come in at the control socket.
    private var known: Set<Curve.PublicKey>
    /// Watches the control socket. A client without keys, or with another server's key, fails before the handler is
    /// asked.
    private var monitor: Monitor?
    private var monitorToken: Poller.Token?
    /// The connections of the control socket that have not said anything yet.
    var silent = SilentConnections()
    /// The refused clients that were not taken yet, by reason.
    private var refused: [String: RefusedClients] = [:]
    /// Those of which the log was not told yet.
    private var untold: [String: RefusedClients] = [:]
    private var nextLine: UInt64 = 0

    /// The shortest time between two log lines about refused clients, so that a client that tries in a loop does not
    /// fill the log.
    private static let lineMicroseconds: UInt64 = 10_000_000
    private static let proofSeconds: UInt64 = 10

    /// Begins to answer, before anything is bound, and proves that a key which is not allowed is refused.
    /// - Parameters:
    ///   - security: nil where no keys are used.
    ///   - stranger: the key pair for that proof; by default a random one.
    init(
        _ security: Security?, in context: Context, poller: inout Poller, logger: Logger,
        stranger: Curve.KeyPair? = nil
    ) throws(ZeroMQError) {
        handler = try ZAPHandler(allowing: security?.clientKeys, domain: Security.domain, in: context)
        handlerToken = try poller.add(handler)
        self.logger = security?.access?.audit ?? logger
        hasKeys = security != nil
        known = security?.clientKeys ?? []
        guard let security else { return }
        let tried = if let stranger { stranger } else { try Curve.KeyPair() }
        try proveRefusal(of: tried, security, in: context)
    }

    /// Watches the control socket. Called before it is bound.
    func watch(_ control: borrowing Socket, poller: inout Poller) throws(ZeroMQError) {
        let monitor = try control.makeMonitor()
        monitorToken = try poller.add(monitor)
        self.monitor = consume monitor
    }

    /// Answers the clients that have asked to connect, and notes the refused ones.
    func serve(poller: borrowing Poller) throws(ZeroMQError) {
        let now = Clocks.now().uptimeMicroseconds
        if poller.isReadable(handlerToken) {
            for decision in try handler.answer() {
                switch decision {
                case .allowed, .allowedWithoutKey: continue
                // A known key that is refused here has other grants by now. Its client will be told another stream.
                case .refused(let key) where known.contains(key): continue
                case .refused(let key): note("its key has no grant; if it should have one, add it", key: key.z85)
                case .malformed: note("it was asked about in a way that is not understood", key: nil)
                }
            }
        }
        defer {
            silent.cutExcess(at: now)
            tell(at: now)
        }
        guard let monitorToken, poller.isReadable(monitorToken) else { return }
        while let event = try monitor?.next() {
            silent.note(event, at: now)
            switch event.kind {
            case .handshakeFailed(.protocolError(.mechanismMismatch)):
                note(hasKeys ? "it has no keys" : "it has keys, and this server has none", key: nil)
            case .handshakeFailed(.protocolError):
                note(hasKeys ? "it does not know the key of this server" : "it breaks the rules of ZMTP", key: nil)
            default: continue
            }
        }
    }

    /// Lets these keys come in at the sockets of a domain, and no others; nil where the domain has no sockets any more.
    func allow(_ keys: Set<Curve.PublicKey>?, in domain: String = Security.domain) {
        handler.allow(keys, in: domain)
        if domain == Security.domain { known = keys ?? [] }
    }

    /// The clients that were refused since the last call, by reason.
    func takeRefused() -> [RefusedClients] {
        defer { refused = [:] }
        return Array(refused.values)
    }

    /// Notes a client whose connection was ended for this reason.
    func note(_ reason: String) { note(reason, key: nil) }

    private func note(_ reason: String, key: String?) {
        for path in [\ClientGate.refused, \.untold] {
            self[keyPath: path][reason, default: RefusedClients(reason: reason, key: key, count: 0)].count += 1
            if let key { self[keyPath: path][reason]?.key = key }
        }
    }

    /// Writes a line for each reason for which clients were refused since the last lines.
    private func tell(at now: UInt64) {
        guard !untold.isEmpty, now >= nextLine else { return }
        nextLine = now + ClientGate.lineMicroseconds
        for clients in untold.values.sorted(by: { $0.reason < $1.reason }) {
            var metadata: Logger.Metadata = ["reason": "\(clients.reason)", "clients": "\(clients.count)"]
            if let key = clients.key { metadata["key"] = "\(key)" }
            logger.warning("clients were refused", metadata: metadata)
        }
        untold = [:]
    }

    /// Proves that a random key is refused, by a client that tries it once at a socket of its own. A mistake in this
    /// class, or a libzmq that behaves differently from the tested one (libzmq notes, row 13), would allow every
    /// client.
    private func proveRefusal(
        of stranger: Curve.KeyPair, _ security: Security, in context: Context
    ) throws(ZeroMQError) {
        let endpoint = "ipc://@modelcast-\(UInt64.random(in: .min ... .max))-\(UInt64.random(in: .min ... .max))"
        let server = try Socket(.router, in: context)
        try Security.serve(server, security)
        try server.bind(endpoint)
        let client = try Socket(.dealer, in: context)
        try Security.connect(client, stranger, to: security.keys.publicKey)
        let monitor = try client.makeMonitor()
        try client.connect(endpoint)
        var poller = try Poller()
        _ = try poller.add(handler)
        _ = try poller.add(monitor)
        let deadline = Clocks.now().uptimeMicroseconds + ClientGate.proofSeconds * 1_000_000
        while case let now = Clocks.now().uptimeMicroseconds, now < deadline {
            _ = try poller.wait(timeout: .microseconds(deadline - now))
            _ = try handler.answer()
            while let event = try monitor.next() {
                switch event.kind {
                case .handshakeFailed(.refused): return
                case .handshakeSucceeded: throw ClientGate.unproven("a random key came in")
                default: continue
                }
            }
        }
        throw ClientGate.unproven("a random key was not refused within \(ClientGate.proofSeconds) s")
    }

    private static func unproven(_ what: String) -> ZeroMQError {
        ZeroMQError(.protocolError, call: "self-test of CURVE", detail: "\(what), so nothing is served")
    }
}
