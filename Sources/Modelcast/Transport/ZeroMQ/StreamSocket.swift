import ModelCache
import ModelGrants
import ZeroMQ

/// An XPUB socket of a stream. Any thread may send on it, and the socket thread waits on it.
final class StreamSocket: Sendable {
    let socket: SharedSocket
    /// Its events.
    let monitor: SharedMonitor
    /// The endpoint where the socket is bound.
    let endpoint: String
    /// The types that its subscribers may read.
    let readable: [NamePattern]
    /// The narrowing to what its subscribers may read; nil where they may read everything.
    private let narrowing: Guarded<StreamNarrowing>?

    init(
        _ socket: consuming sending Socket, _ monitor: SharedMonitor, readable: [NamePattern]
    ) throws(ZeroMQError) {
        self.monitor = monitor
        endpoint = try socket.lastEndpoint()
        self.readable = readable
        narrowing = readable == [.all] ? nil : Guarded(StreamNarrowing(to: readable))
        self.socket = try SharedSocket(socket)
    }

    /// Sends a message, or what of it the subscribers may read. XPUB drops it for a peer whose queue is full, and never
    /// refuses.
    /// - Parameter looks: whether to look if there is something to receive, as a thread that does not wait must.
    /// - Returns: whether there is.
    func publish(topic: [UInt8], _ payload: [UInt8], looks: Bool) throws(ZeroMQError) -> Bool {
        let narrowed = narrowing?.withLock { $0.payload(topic, payload) }
        guard narrowing == nil || narrowed != nil else { return false }
        return try socket.withLock { socket throws(ZeroMQError) in
            // If the first frame is refused, the second must not be sent.
            if try socket.send(Message(topic), more: true) == .sent {
                _ = try socket.send(Message(ofPayload: narrowed ?? payload))
            }
            return looks ? try socket.events().contains(.readable) : false
        }
    }

    /// A message of a subscriber.
    struct Subscription: Sendable {
        /// 1 for a subscription or 0 for its end, then the prefix. Another first byte, or several frames, is neither.
        let frame: [UInt8]
        let isWhole: Bool
        let key: Curve.PublicKey?
        let connection: Connection?
    }

    /// The next message of a subscriber; nil when none has come. What it subscribes to, it gets.
    func receive() throws(ZeroMQError) -> Subscription? {
        let subscription = try socket.withLock { socket throws(ZeroMQError) -> Subscription? in
            guard let message = try socket.receive() else { return nil }
            return Subscription(
                frame: message.array, isWhole: !message.hasMore, key: message.key, connection: message.connection)
        }
        if let subscription, let first = subscription.frame.first {
            narrowing?.withLock { $0.subscribed(to: Array(subscription.frame.dropFirst()), isNew: first == 1) }
        }
        return subscription
    }
}
