import Logging
import ZeroMQ

/// The two sockets of a sender, which is a publisher or relay: XPUB for the stream, ROUTER for control. They belong to
/// one thread, except that a publisher's writers send on the stream, too. A subscriber that can be asked has only the
/// ROUTER.
///
/// They are closed when this is released: once the messages that they hold have been sent, but after a second at the
/// latest.
final class ServingSockets {
    /// The settings of the sockets.
    struct Configuration {
        var control: String
        /// Nil for no stream.
        var stream: String?
        var frameByteCount: Int
        /// The usual size of a frame of the stream, in bytes.
        var batchByteCount: Int
        /// How many bytes may wait for one slow subscriber before batches are dropped for it.
        var subscriberQueueByteCount: Int
        /// How many bytes the answers may take until libzmq has sent them.
        var answersByteCount: Int
        /// Nil for sockets that allow every client that speaks ZMTP 3.
        var security: Security?
        var logger: Logger
    }

    /// The endpoint where control is bound, with the port that the system chose.
    let controlEndpoint: String
    /// The endpoint where the stream is bound; empty where there is none.
    let streamEndpoint: String
    /// Nil where there is no stream.
    let stream: StreamSocket?
    private let control: Socket
    private let gate: ClientGate
    /// The replies that have not left the process yet.
    let freight: Freight
    /// The connections of the peers, so that they can be cut.
    private var connections: [[UInt8]: Connection] = [:]
    private var connectionCountMax = 1024
    private let streamToken: Poller.Token?
    private let controlToken: Poller.Token
    private var message = Message()

    /// How many messages are taken from a socket before the other sockets get their turn.
    private static let burst = 256
    /// The same limit in bytes of requests, as long requests take long to read.
    private static let burstByteCount = 256 << 10
    /// The lowest high-water mark of replies for one peer: above what credit and budgets let wait.
    private static let replyCount = 1024
    /// How many requests of one peer may wait to be read. Each is a frame at most.
    private static let requestCount = 32
    /// How many bytes may wait in the system for one connection. A line is kept busy with less.
    private static let unsentByteCount = 1 << 20
    private static let linger = Duration.seconds(1)
    /// The greatest message of a subscriber on the stream, in bytes: above any subscription or handshake. A peer that
    /// sends a longer one is cut.
    static let subscriptionByteCountMax = 4096

    /// Binds both sockets.
    init(_ configuration: Configuration, in context: Context, poller: inout Poller) throws(ZeroMQError) {
        // The gate comes before any bind, as no client is allowed without it.
        let gate = try ClientGate(
            configuration.security, in: context, poller: &poller, logger: configuration.logger)
        let control = try Socket(.router, in: context)
        try control.applyDefaults(
            frameLimit: configuration.frameByteCount, memoryLimit: configuration.subscriberQueueByteCount)
        // Requests wait in the peer's process, and not here, once this many have not been read.
        try control.set(.receiveHighWaterMark, ServingSockets.requestCount)
        // Credit and budgets bound the memory. A lower high-water mark would refuse chunks that were granted.
        try control.set(
            .sendHighWaterMark,
            max(ServingSockets.replyCount, configuration.subscriberQueueByteCount / configuration.frameByteCount))
        try control.set(.linger, ServingSockets.linger)
        if let endpoint = configuration.stream {
            let stream = try StreamSocket(ServingSockets.bindStream(endpoint, configuration, in: context))
            streamEndpoint = stream.endpoint
            streamToken = poller.add(stream.socket)
            self.stream = stream
        } else {
            streamEndpoint = ""
            streamToken = nil
            stream = nil
        }
        try Security.serve(control, configuration.security)
        try gate.watch(control, poller: &poller)
        try control.bind(configuration.control)
        controlEndpoint = try control.lastEndpoint()
        controlToken = try poller.add(control)
        self.control = control
        self.gate = gate
        freight = Freight(byteCountMax: configuration.answersByteCount, waker: poller.waker)
    }

    /// Binds both sockets; returns nil where there is no configuration.
    static func bind(_ configuration: Configuration?, poller: inout Poller) throws(ZeroMQError) -> ServingSockets? {
        guard let configuration else { return nil }
        return try ServingSockets(configuration, in: Context(), poller: &poller)
    }

    private static func bindStream(
        _ endpoint: String, _ configuration: Configuration, in context: Context
    ) throws(ZeroMQError) -> sending Socket {
        let stream = try Socket(.xpub, in: context)
        try stream.applyDefaults(
            frameLimit: configuration.frameByteCount, memoryLimit: configuration.subscriberQueueByteCount)
        // Subscribers send subscriptions only. Topics are short, and each is kept for as long as its peer is connected.
        try stream.set(.maxMessageSize, ServingSockets.subscriptionByteCountMax)
        // The high-water mark counts frames of about one batch, not frames of the greatest size.
        let frames = max(2, configuration.subscriberQueueByteCount / max(1, configuration.batchByteCount))
        try stream.set(.sendHighWaterMark, frames)
        try stream.set(.linger, ServingSockets.linger)
        try Security.serve(stream, configuration.security)
        try stream.bind(endpoint)
        return stream
    }

    /// The endpoints where both are bound.
    var bound: SenderEndpoints { SenderEndpoints(controlAt: controlEndpoint, streamAt: streamEndpoint) }

    /// How many clients were refused since the last call.
    func takeRefusedCount() -> UInt64 { gate.takeRefusedCount() }

    /// Sends one message of the stream.
    func publish(topic: [UInt8], _ payload: [UInt8]) throws(ZeroMQError) { try stream?.publish(topic: topic, payload) }

    /// Sends one reply, which counts as under way until libzmq has released it.
    /// - Returns: false when the peer is gone or does not read; the reply is lost then.
    func reply(to peer: [UInt8], _ load: HeldMessage) throws(ZeroMQError) -> Bool {
        guard try control.send(Message(peer), more: true) == .sent else { return false }
        _ = try control.send(load.message())
        return true
    }

    /// Closes the connections of these peers. libzmq then drops the messages that wait for them.
    func cut(_ peers: [[UInt8]]) {
        for peer in peers { connections.removeValue(forKey: peer)?.cut() }
    }

    /// Notes the connection of a peer. libzmq does not report the end of a connection, so closed ones are removed from
    /// time to time.
    private func note(_ connection: Connection, of peer: [UInt8]) {
        if connections.count >= connectionCountMax {
            connections = connections.filter { $0.value.isOpen }
            connectionCountMax = max(1024, 2 * connections.count)
        }
        guard connections.updateValue(connection, forKey: peer) != connection else { return }
        connection.boundUnsent(byteCount: ServingSockets.unsentByteCount)
    }

    /// Hands over the messages that have arrived, a burst from each socket.
    /// - Parameters:
    ///   - subscribed: is called with a prefix that a peer has subscribed to.
    ///   - requested: is called with the peer's identity and the request. The request is empty for a message of several
    ///     frames, which the protocol does not have.
    func receive(
        poller: borrowing Poller, subscribed: ([UInt8]) -> Void, requested: ([UInt8], [UInt8]) -> Void
    ) throws(ZeroMQError) {
        try gate.serve(poller: poller)
        if let streamToken, poller.isReadable(streamToken) {
            for _ in 0..<ServingSockets.burst {
                // `subscribed` is called outside of the stream's lock: a writer takes that while it holds the
                // publisher's lock.
                guard let frame = try stream?.receive() else { break }
                // XPUB reports a subscription as one frame: 1 or 0, then the prefix.
                if frame.first == 1 { subscribed(Array(frame.dropFirst())) }
            }
        }
        if poller.isReadable(controlToken) {
            var byteCount = 0
            for _ in 0..<ServingSockets.burst where byteCount < ServingSockets.burstByteCount {
                guard let request = try receiveRequest() else { break }
                byteCount += request.payload.count
                requested(request.peer, request.payload)
            }
        }
    }

    private func receiveRequest() throws(ZeroMQError) -> (peer: [UInt8], payload: [UInt8])? {
        guard try control.receive(into: &message) else { return nil }
        let peer = message.array
        var frames: [[UInt8]] = []
        var hasMore = message.hasMore
        while hasMore, try control.receive(into: &message) {
            if frames.count < 2 { frames.append(message.array) }
            hasMore = message.hasMore
        }
        if let connection = message.connection { note(connection, of: peer) }
        return (peer, frames.count == 1 ? frames[0] : [])
    }
}
