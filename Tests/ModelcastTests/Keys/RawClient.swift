import ModelSync
import ModelWire
import TestSupport
import ZeroMQ

@testable import Modelcast

/// A client of its own making, which says what the test wants.
final class RawClient {
    let socket: Socket
    let monitor: Monitor
    private var poller: Poller
    private(set) var replies: [ControlReply] = []
    private(set) var isGreeted = false
    private(set) var isCut = false

    init(
        _ kind: Socket.Kind = .dealer, at endpoint: String, _ keys: Curve.KeyPair, _ server: Curve.PublicKey,
        subscribes: Bool = true
    ) throws {
        socket = try Socket(kind, in: Context())
        try Security.connect(socket, keys, to: server)
        // It does not come back by itself.
        try socket.set(.reconnectInterval, nil)
        if kind == .sub, subscribes { try socket.subscribe(to: "") }
        monitor = try socket.makeMonitor()
        poller = try Poller()
        _ = try poller.add(socket)
        _ = try poller.add(monitor)
        try socket.connect(endpoint)
    }

    func send(_ request: ControlRequest) throws { _ = try socket.send(Message(request.encode())) }

    func hello(_ rid: UInt64) throws { try send(.hello(rid: rid, version: 1, name: "raw", prefixes: [])) }

    func look() throws {
        while let event = try monitor.next() {
            if event.kind == .handshakeSucceeded { isGreeted = true }
            if event.kind == .disconnected { isCut = true }
        }
        while let message = try socket.receive() {
            if let reply = try? ControlReply(decoding: message.array.span, limits: .ceiling) {
                replies.append(reply)
            }
        }
    }

    /// Waits for a message for a while.
    func hears() throws -> Bool {
        _ = try poller.wait(timeout: .milliseconds(100))
        return try socket.receive() != nil
    }

    /// Looks until something holds.
    func wait(until isTrue: (RawClient) -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try {
            try look()
            return !isTrue(self)
        }() {
            guard ContinuousClock.now < deadline else { throw CaseFailure("nothing came of it in a minute") }
            _ = try poller.wait(timeout: .milliseconds(100))
        }
    }
}
