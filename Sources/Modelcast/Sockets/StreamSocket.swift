import Synchronization
import ZeroMQ

/// The XPUB socket of a stream. Any thread may send on it, and the socket thread waits on it.
final class StreamSocket: Sendable {
    let socket: SharedSocket
    /// The endpoint where the socket is bound.
    let endpoint: String
    private let busy = Atomic<Bool>(false)

    init(_ socket: consuming sending Socket) throws(ZeroMQError) {
        endpoint = try socket.lastEndpoint()
        self.socket = try SharedSocket(socket)
    }

    /// The socket thread has taken batches under the publisher's lock, and has not sent all of them yet. No other
    /// thread may send meanwhile, so that no later batch overtakes an earlier one. Set under that lock, cleared without
    /// it.
    var isBusy: Bool {
        get { busy.load(ordering: .acquiring) }
        set { busy.store(newValue, ordering: .releasing) }
    }

    /// Sends one message. XPUB drops it for a peer whose queue is full, and never refuses.
    func publish(topic: [UInt8], _ payload: [UInt8]) throws(ZeroMQError) {
        try socket.withLock { socket throws(ZeroMQError) in try StreamSocket.send(topic, payload, on: socket) }
    }

    /// Sends one message, on another thread than the one that waits on the socket.
    /// - Returns: true when the waiting thread has to be woken, because there is something to receive.
    func publishFromWriter(topic: [UInt8], _ payload: [UInt8]) throws(ZeroMQError) -> Bool {
        try socket.withLock { socket throws(ZeroMQError) in
            try StreamSocket.send(topic, payload, on: socket)
            return try socket.events().contains(.readable)
        }
    }

    /// The next message of a peer; nil when none has come.
    func receive() throws(ZeroMQError) -> [UInt8]? {
        try socket.withLock { socket throws(ZeroMQError) in try socket.receive()?.array }
    }

    private static func send(
        _ topic: [UInt8], _ payload: [UInt8], on socket: borrowing Socket
    ) throws(ZeroMQError) {
        // If the first frame is refused, the second must not be sent.
        guard try socket.send(Message(topic), more: true) == .sent else { return }
        _ = try socket.send(Message(ofPayload: payload))
    }
}
