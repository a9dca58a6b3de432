import Logging
import ZeroMQ

/// The two sockets of a sender, publisher or relay: XPUB for the stream, ROUTER for control. Belong to one thread, but
/// for the stream, on which a publisher's writers send, too.
///
/// A subscriber that can be asked has the second one only.
///
/// They are closed when this is released, once what they hold has been sent, or after a second.
final class ServingSockets {
    /// What the sockets need to know.
    struct Configuration {
        var control: String
        /// Nil for no stream.
        var stream: String?
        var frameByteCount: Int
        /// What a frame of the stream usually takes.
        var batchByteCount: Int
        /// What may wait for one slow subscriber before batches are dropped for it.
        var subscriberQueueByteCount: Int
        /// What answers may take until they are taken.
        var answersByteCount: Int
        /// Nil for sockets that let in everybody who speaks ZMTP 3.
        var security: Security?
        var logger: Logger
    }

    /// Where control is bound, with the port that the system chose.
    let controlEndpoint: String
    /// Where the stream is bound; empty where there is none.
    let streamEndpoint: String
    /// Nil where there is none.
    let stream: StreamSocket?
    private let control: Socket
    private let gate: ClientGate
    /// What has been sent and was not taken yet.
    let freight: Freight
    /// The connection of each peer, for those that are to be cut.
    private var connections: [[UInt8]: Connection] = [:]
    private var connectionCountMax = 1024
    private let streamToken: Poller.Token?
    private let controlToken: Poller.Token
    private var message = Message()

    /// How many messages are taken from a socket before the others get their turn.
    private static let burst = 256
    /// The same in bytes of requests: what is long takes long to read.
    private static let burstByteCount = 256 << 10
    /// More replies than credit and budgets let wait for one peer.
    private static let replyCount = 1024
    /// What the system holds for a connection beside what is on its way; a line is kept busy with less.
    private static let unsentByteCount = 1 << 20
    private static let linger = Duration.seconds(1)
    /// More than a subscription or a hand-shake takes. A peer that sends a longer message is cut.
    static let subscriptionByteCountMax = 4096

    /// Binds both.
    init(_ configuration: Configuration, in context: Context, poller: inout Poller) throws(ZeroMQError) {
        // Before any bind: until there is a gate nobody comes in.
        let gate = try ClientGate(
            configuration.security, in: context, poller: &poller, logger: configuration.logger)
        let control = try Socket(.router, in: context)
        try control.applyDefaults(
            frameLimit: configuration.frameByteCount, memoryLimit: configuration.subscriberQueueByteCount)
        // The memory bound is kept by credit and budgets. A mark below them would refuse chunks that were granted.
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

    /// Binds both, where there is a configuration.
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
        // What comes in are subscriptions: topics are short, and each is kept for as long as its peer is there.
        try stream.set(.maxMessageSize, ServingSockets.subscriptionByteCountMax)
        // Frames are about one batch; the memory bound is kept by counting those, not the greatest frame allowed.
        let frames = max(2, configuration.subscriberQueueByteCount / max(1, configuration.batchByteCount))
        try stream.set(.sendHighWaterMark, frames)
        try stream.set(.linger, ServingSockets.linger)
        try Security.serve(stream, configuration.security)
        try stream.bind(endpoint)
        return stream
    }

    /// Where both are bound.
    var bound: SenderEndpoints { SenderEndpoints(controlAt: controlEndpoint, streamAt: streamEndpoint) }

    /// How many clients were refused since the last time.
    func takeRefusedCount() -> UInt64 { gate.takeRefusedCount() }

    /// Sends one message of the stream.
    func publish(topic: [UInt8], _ payload: [UInt8]) throws(ZeroMQError) { try stream?.publish(topic: topic, payload) }

    /// Sends one reply, which counts as under way until libzmq has let go of it.
    /// - Returns: false when the peer is gone or does not read; the reply is lost then.
    func reply(to peer: [UInt8], _ load: HeldMessage) throws(ZeroMQError) -> Bool {
        guard try control.send(Message(peer), more: true) == .sent else { return false }
        _ = try control.send(load.message())
        return true
    }

    /// Closes the connections of these peers, and with them lets go of what waits for them.
    func cut(_ peers: [[UInt8]]) {
        for peer in peers { connections.removeValue(forKey: peer)?.cut() }
    }

    /// The end of a connection is not told: now and then those that are gone are looked for.
    private func note(_ connection: Connection, of peer: [UInt8]) {
        if connections.count >= connectionCountMax {
            connections = connections.filter { $0.value.isOpen }
            connectionCountMax = max(1024, 2 * connections.count)
        }
        guard connections.updateValue(connection, forKey: peer) != connection else { return }
        connection.boundUnsent(byteCount: ServingSockets.unsentByteCount)
    }

    /// Hands over what has arrived, a burst from each socket.
    /// - Parameters:
    ///   - subscribed: a prefix that a peer has subscribed to.
    ///   - requested: the peer's identity and the request; empty for a message of more frames, which is not ours.
    func receive(
        poller: borrowing Poller, subscribed: ([UInt8]) -> Void, requested: ([UInt8], [UInt8]) -> Void
    ) throws(ZeroMQError) {
        try gate.serve(poller: poller)
        if let streamToken, poller.isReadable(streamToken) {
            for _ in 0..<ServingSockets.burst {
                // Told outside of the stream's lock: a writer takes it while it holds the publisher's.
                guard let frame = try stream?.receive() else { break }
                // XPUB tells subscriptions as one frame: 1 or 0, then the prefix.
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
