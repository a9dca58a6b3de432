import Logging
import ZeroMQ

/// Lets in the clients whose keys are allowed and counts the others. Without keys everybody comes in who speaks ZMTP 3,
/// and nobody who only sends bytes to the port, such as a web page. One for the sockets that a sender serves with;
/// belongs to their thread.
final class ClientGate {
    private let handler: ZAPHandler
    private let handlerToken: Poller.Token
    private let logger: Logger
    private let hasKeys: Bool
    /// Of the control socket: who has no keys, or not this server's, does not come as far as to the handler.
    private var monitor: Monitor?
    private var monitorToken: Poller.Token?
    private var refusedCount: UInt64 = 0
    private var untoldCount: UInt64 = 0
    private var nextLine: UInt64 = 0

    /// A line about refused clients comes at most so often: whoever tries in a loop fills no log.
    private static let lineMicroseconds: UInt64 = 10_000_000
    private static let proofSeconds: UInt64 = 10

    /// Begins to answer, before anything is bound, and proves that a key which is not allowed stays outside.
    /// - Parameters:
    ///   - security: nil where no keys are used.
    ///   - stranger: the key that is tried; a random one if it is not said.
    init(
        _ security: Security?, in context: Context, poller: inout Poller, logger: Logger,
        stranger: Curve.KeyPair? = nil
    ) throws(ZeroMQError) {
        handler = try ZAPHandler(allowing: security?.clients, domain: Security.domain, in: context)
        handlerToken = try poller.add(handler)
        self.logger = logger
        hasKeys = security != nil
        guard let security else { return }
        let tried = if let stranger { stranger } else { try Curve.KeyPair() }
        try proveRefusal(of: tried, security, in: context)
    }

    /// Watches the control socket; before it is bound.
    func watch(_ control: borrowing Socket, poller: inout Poller) throws(ZeroMQError) {
        let monitor = try control.makeMonitor()
        monitorToken = try poller.add(monitor)
        self.monitor = consume monitor
    }

    /// Lets in who has come, or not.
    func serve(poller: borrowing Poller) throws(ZeroMQError) {
        if poller.isReadable(handlerToken) {
            for decision in try handler.answer() {
                switch decision {
                case .allowed, .allowedWithoutKey: continue
                case .refused(let key): refused("its key is not allowed; if it should be, add it", key: key.z85)
                case .malformed: refused("it was asked about in a way that is not understood", key: nil)
                }
            }
        }
        guard let monitorToken, poller.isReadable(monitorToken) else { return }
        while let event = try monitor?.next() {
            switch event.kind {
            case .handshakeFailed(.protocolError(.mechanismMismatch)):
                refused(hasKeys ? "it has no keys" : "it has keys, and this server has none", key: nil)
            case .handshakeFailed(.protocolError):
                refused(hasKeys ? "it does not know the key of this server" : "it breaks the rules of ZMTP", key: nil)
            default: continue
            }
        }
    }

    /// How many were refused since the last time.
    func takeRefusedCount() -> UInt64 {
        defer { refusedCount = 0 }
        return refusedCount
    }

    private func refused(_ reason: String, key: String?) {
        refusedCount += 1
        untoldCount += 1
        let now = Clocks.now().uptimeMicroseconds
        guard now >= nextLine else { return }
        nextLine = now + ClientGate.lineMicroseconds
        var metadata: Logger.Metadata = ["reason": "\(reason)", "clients": "\(untoldCount)"]
        if let key { metadata["key"] = "\(key)" }
        logger.warning("clients were refused", metadata: metadata)
        untoldCount = 0
    }

    /// A mistake here, or a libzmq that does something else than the one that was tried (libzmq notes, row 13), would
    /// let in everybody: a client with a random key tries it once, at a socket of its own.
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
