import ZeroMQ

/// Waits for the greeting of a connection and says in words why it failed. Belongs to the thread of its socket.
struct HandshakeWatch: ~Copyable {
    enum Outcome: Equatable {
        /// Nothing is known yet.
        case pending
        case succeeded
        /// The connection had been greeted, and has broken off; libzmq is opening another.
        case lost
        /// Why not, and what to do.
        case failed(String)
    }

    private let monitor: Monitor
    private var isGreeted = false
    /// Of this side; nil without keys.
    private let key: Curve.PublicKey?

    /// Watches a socket; before it connects.
    init(_ socket: borrowing Socket, _ security: Security?) throws(ZeroMQError) {
        monitor = try socket.makeMonitor()
        key = security?.keys.publicKey
    }

    /// Lets a poller end its wait for what is to be told.
    func add(to poller: inout Poller) throws(ZeroMQError) { _ = try poller.add(monitor) }

    /// What has happened since the last look.
    mutating func look() throws(ZeroMQError) -> Outcome {
        var outcome = Outcome.pending
        while let event = try monitor.next() {
            switch event.kind {
            case .handshakeSucceeded:
                // A second greeting is that of another process, perhaps.
                outcome = isGreeted ? .lost : .succeeded
                isGreeted = true
            case .disconnected where isGreeted: outcome = .lost
            case .handshakeFailed(let failure):
                if let reason = HandshakeWatch.reason(failure, key: key) { outcome = .failed(reason) }
            default: continue
            }
        }
        return outcome
    }

    /// - Returns: nil where it says nothing of keys: a connection that broke off between two sides without.
    static func reason(_ failure: SocketEvent.HandshakeFailure, key: Curve.PublicKey?) -> String? {
        switch (failure, key) {
        case (.protocolError(.mechanismMismatch), nil):
            "it lets in clients with keys only; give this side a key pair and the public key of that one "
                + "(--key, --server-key)"
        case (.protocolError(.mechanismMismatch), _?):
            "it has no keys; give it a key pair, or leave out the keys on this side"
        case (.refused(400), let key?):
            "it does not allow the key of this client; add \(key) to its clients (--client-keys) and start it again"
        case (.refused(let status), _):
            "it cannot tell whether this client is allowed (ZAP status \(status)); look into its log"
        case (_, nil): nil
        case (_, _?):
            "it broke off the greeting; most likely its public key is another than the one that is expected here "
                + "(--server-key), or it has no keys"
        }
    }
}
