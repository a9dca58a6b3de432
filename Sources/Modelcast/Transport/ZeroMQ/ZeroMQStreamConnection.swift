import ZeroMQ

/// A SUB that is connected to the XPUB of a sender.
final class ZeroMQStreamConnection: StreamConnection {
    private let thread: ZeroMQThread
    private let socket: Socket
    private let token: Poller.Token
    private var topic = Message()
    private var payload = Message()

    /// The usual size of a frame of the stream, in bytes.
    private static let batchByteCount = 32 << 10

    init(
        to endpoint: String, of control: String, _ settings: ConnectionSettings, in context: Context,
        _ thread: ZeroMQThread
    ) throws(ZeroMQError) {
        let socket = try Socket(.sub, in: context)
        try socket.applyDefaults(frameLimit: settings.frameByteCount, memoryLimit: settings.queueByteCount)
        // Frames are batches of some 32 KiB, so the limit of the queue allows more of them than of the greatest frames.
        try socket.set(
            .receiveHighWaterMark, max(2, settings.queueByteCount / ZeroMQStreamConnection.batchByteCount))
        // The stream proves the same key as the control connection.
        try settings.security?.connect(socket, control: control)
        try socket.connect(endpoint)
        token = try thread.poller.add(socket)
        self.thread = thread
        self.socket = socket
    }

    func subscribe(to prefix: [UInt8]) throws(ModelcastError) {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in try socket.subscribe(to: prefix) }
    }

    func unsubscribe(from prefix: [UInt8]) throws(ModelcastError) {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in try socket.unsubscribe(from: prefix) }
    }

    func receive(
        atMost countMax: Int, _ body: (_ topic: Span<UInt8>, _ payload: Span<UInt8>) -> Bool,
        malformed: (String) -> Bool
    ) throws(ModelcastError) {
        guard thread.poller.isReadable(token) else { return }
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in
            for _ in 0..<countMax {
                guard try receiveOne(body, malformed) else { return }
            }
        }
    }

    /// Takes a message, which is two frames.
    /// - Returns: false when there was none, or nothing more is wanted.
    private func receiveOne(
        _ body: (_ topic: Span<UInt8>, _ payload: Span<UInt8>) -> Bool, _ malformed: (String) -> Bool
    ) throws(ZeroMQError) -> Bool {
        guard try socket.receive(into: &topic) else { return false }
        guard topic.hasMore, try socket.receive(into: &payload) else {
            return malformed("a stream message of one frame")
        }
        guard payload.hasMore else {
            return topic.withSpan { topic in payload.withSpan { body(topic, $0) } }
        }
        while payload.hasMore, try socket.receive(into: &payload) {}
        return malformed("a stream message of more than two frames")
    }
}
