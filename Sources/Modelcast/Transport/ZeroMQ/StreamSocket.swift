import ModelGrants
import ModelWire
import Synchronization
import ZeroMQ

/// The XPUB socket of a stream. Any thread may send on it, and the socket thread waits on it.
final class StreamSocket: StreamChannel {
    let socket: SharedSocket
    /// The endpoint where the socket is bound.
    let endpoint: String
    /// What each subscriber gets; nil where there are no grants, so that everybody gets what it subscribes to.
    private let audiences: Mutex<StreamAudiences>?

    init(_ socket: consuming sending Socket, hasGrants: Bool) throws(ZeroMQError) {
        endpoint = try socket.lastEndpoint()
        audiences = hasGrants ? Mutex(StreamAudiences()) : nil
        self.socket = try SharedSocket(socket)
    }

    /// XPUB drops a message for a peer whose queue is full, and never refuses.
    func publish(topic: [UInt8], _ payload: [UInt8]) throws(ModelcastError) {
        // Without grants nothing is made anew.
        let messages = audiences?.withLock { $0.messages(topic, payload) }
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in
            try socket.withLock { socket throws(ZeroMQError) in
                guard let messages else { return try StreamSocket.send(topic, payload, on: socket) }
                for (topic, payload) in messages { try StreamSocket.send(topic, payload, on: socket) }
            }
        }
    }

    func publishFromWriter(topic: [UInt8], _ payload: [UInt8]) throws(ModelcastError) -> Bool {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in
            try socket.withLock { socket throws(ZeroMQError) in
                try StreamSocket.send(topic, payload, on: socket)
                return try socket.events().contains(.readable)
            }
        }
    }

    /// A message of a subscriber.
    struct Subscription: Sendable {
        /// 1 for a subscription or 0 for its end, then the prefix.
        let frame: [UInt8]
        let key: Curve.PublicKey?
        let connection: Connection?
        /// The message is neither of the two, by its first byte or because it has several frames.
        let isOther: Bool
    }

    /// The next message of a subscriber; nil when none has come. What it subscribes to without grants, it gets.
    func receive() throws(ZeroMQError) -> Subscription? {
        let hasGrants = audiences != nil
        return try socket.withLock { socket throws(ZeroMQError) -> Subscription? in
            guard let message = try socket.receive() else { return nil }
            let frame = message.array
            return Subscription(
                frame: frame, key: hasGrants ? message.key : nil, connection: hasGrants ? message.connection : nil,
                isOther: message.hasMore || (frame.first ?? 2) > 1)
        }
    }

    /// Lets the subscriber whose message was received last have of its subscription what it may read. Only the end of
    /// the connection, or of a barrier, takes that back.
    /// - Returns: how many filters were set.
    func admit(_ subscription: Subscription, of grantee: Grantee) throws(ZeroMQError) -> Int {
        let isNew = subscription.frame.first == 1
        let prefix = Array(subscription.frame.dropFirst())
        var filters: [[UInt8]] = []
        if isNew {
            filters = audiences?.withLock { $0.filters(for: prefix, of: grantee) } ?? []
        } else if prefix.first == 0xFF, prefix.count <= Topic.byteCountMax {
            audiences?.withLock { $0.lower(prefix, of: grantee) }
            filters = [prefix]
        }
        try socket.withLock { socket throws(ZeroMQError) in
            for filter in filters {
                if isNew { try socket.allow(filter) } else { try socket.disallow(filter) }
            }
        }
        return isNew ? filters.count : 0
    }

    private static func send(
        _ topic: [UInt8], _ payload: [UInt8], on socket: borrowing Socket
    ) throws(ZeroMQError) {
        // If the first frame is refused, the second must not be sent.
        guard try socket.send(Message(topic), more: true) == .sent else { return }
        _ = try socket.send(Message(ofPayload: payload))
    }
}
