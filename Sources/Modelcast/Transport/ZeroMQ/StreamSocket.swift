import ZeroMQ

/// The XPUB socket of a stream. Any thread may send on it, and the socket thread waits on it.
final class StreamSocket: StreamChannel {
    let socket: SharedSocket
    /// The endpoint where the socket is bound.
    let endpoint: String

    init(_ socket: consuming sending Socket) throws(ZeroMQError) {
        endpoint = try socket.lastEndpoint()
        self.socket = try SharedSocket(socket)
    }

    /// XPUB drops a message for a peer whose queue is full, and never refuses.
    func publish(topic: [UInt8], _ payload: [UInt8]) throws(ModelcastError) {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in
            try socket.withLock { socket throws(ZeroMQError) in try StreamSocket.send(topic, payload, on: socket) }
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
