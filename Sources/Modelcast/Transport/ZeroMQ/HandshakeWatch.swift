import ZeroMQ

/// Watches the handshake of a connection, and says in words why it failed. Belongs to the thread of its socket.
struct HandshakeWatch: ~Copyable {
    private let monitor: Monitor
    private var isGreeted = false
    /// The public key of this side; nil without keys.
    private let key: Curve.PublicKey?

    /// Watches a socket. Called before it connects.
    init(_ socket: borrowing Socket, _ security: Security?) throws(ZeroMQError) {
        monitor = try socket.makeMonitor()
        key = security?.keys.publicKey
    }

    /// Adds the watch to a poller, so that an event ends its wait.
    func add(to poller: inout Poller) throws(ZeroMQError) { _ = try poller.add(monitor) }

    /// The result of the handshake by the events since the last look.
    mutating func look() throws(ZeroMQError) -> Greeting {
        var result = Greeting.pending
        while let event = try monitor.next() {
            switch event.kind {
            case .handshakeSucceeded:
                // A second greeting may come from another process.
                result = isGreeted ? .lost : .succeeded
                isGreeted = true
            case .disconnected where isGreeted: result = .lost
            case .handshakeFailed(let failure):
                if let reason = HandshakeWatch.reason(failure, key: key) { result = .failed(reason) }
            default: continue
            }
        }
        return result
    }

    /// The reason of a failure in words.
    /// - Returns: nil where the failure tells nothing about keys: a connection broke off between two sides without
    ///   keys.
    static func reason(_ failure: SocketEvent.HandshakeFailure, key: Curve.PublicKey?) -> String? {
        switch (failure, key) {
        case (.protocolError(.mechanismMismatch), nil):
            "it lets in clients with keys only; give this side a key pair and the public key of that one "
                + "(--key, --server-key)"
        case (.protocolError(.mechanismMismatch), _?):
            "it has no keys; give it a key pair, or leave out the keys on this side"
        case (.refused(400), let key?):
            "it does not allow the key of this client; add \(key) to its grants (--grants, SIGHUP) or its clients "
                + "(--client-keys, and start it again)"
        case (.refused(let status), _):
            "it cannot tell whether this client is allowed (ZAP status \(status)); look into its log"
        case (_, nil): nil
        case (_, _?):
            "it broke off the greeting; most likely its public key is another than the one that is expected here "
                + "(--server-key), or it has no keys"
        }
    }
}
