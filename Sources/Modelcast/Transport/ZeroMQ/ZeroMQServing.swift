import Logging
import ModelGrants
import ZeroMQ

/// The two sockets of a sender, which is a publisher or relay: XPUB for the stream, ROUTER for control. They belong to
/// one thread, except that a publisher's writers send on the stream, too. A subscriber that can be asked has only the
/// ROUTER.
///
/// They are closed when this is released: once the messages that they hold have been sent, but after a second at the
/// latest.
final class ZeroMQServing: ServingEnd {
    /// The endpoints where both are bound, with the ports that the system chose.
    let bound: SenderEndpoints
    /// Nil where there is no stream.
    let stream: StreamOutlet?
    private let thread: ZeroMQThread
    private let control: Socket
    private let streamSocket: StreamSocket?
    private let gate: ClientGate
    /// The replies that have not left the process yet.
    let freight: UnreleasedAnswers
    /// Who may do what; nil where whoever has come in may do everything.
    private let access: Access?
    /// The version of the grants that the connections were last held against.
    private var version: UInt64
    /// The connections of the peers, so that they can be cut.
    private var connections: [[UInt8]: Connection] = [:]
    /// The keys of the connections, where there are grants, with what each may read.
    private var keys: [[UInt8]: Reader] = [:]
    /// The same of the connections of subscribers.
    private var subscribers: [Connection: Reader] = [:]
    private var subscriberCountMax = 1024
    /// A subscriber has sent something else than subscriptions. libzmq counts that among the messages and not among
    /// their senders, so until all messages were taken it does not say truly whose is the last (libzmq notes, row 25).
    private var isMuddled = false
    /// The keys that have done so, and until when they may not subscribe.
    private var banned: [Curve.PublicKey: UInt64] = [:]

    /// Who has a connection, and what it may read there.
    private struct Reader {
        let key: Curve.PublicKey
        let readable: [NamePattern]
        /// How many filters of the stream it has.
        var filterCount = 0
    }

    /// How many filters one connection may have on the stream.
    private static let filterCountMax = 8192
    private static let banMicroseconds: UInt64 = 60_000_000
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
    init(_ settings: ServingSettings, in context: Context, _ thread: ZeroMQThread) throws(ZeroMQError) {
        // The gate comes before any bind, as no client is allowed without it.
        let gate = try ClientGate(
            settings.security, in: context, poller: &thread.poller, logger: settings.logger)
        let control = try Socket(.router, in: context)
        try control.applyDefaults(
            frameLimit: settings.frameByteCount, memoryLimit: settings.subscriberQueueByteCount)
        // Requests wait in the peer's process, and not here, once this many have not been read.
        try control.set(.receiveHighWaterMark, ZeroMQServing.requestCount)
        // Credit and budgets bound the memory. A lower high-water mark would refuse chunks that were granted.
        try control.set(
            .sendHighWaterMark,
            max(ZeroMQServing.replyCount, settings.subscriberQueueByteCount / settings.frameByteCount))
        try control.set(.linger, ZeroMQServing.linger)
        access = settings.security?.access
        version = settings.security?.access?.version ?? 0
        if let security = settings.security, security.access == nil {
            settings.logger.warning(
                "every client that is let in may do everything",
                metadata: [
                    "clients": "\(security.clients.count)",
                    "advice": "say what each may do in a file of grants (--grants, Security.access)",
                ])
        }
        if let endpoint = settings.stream {
            let socket = try StreamSocket(
                ZeroMQServing.bindStream(endpoint, settings, in: context), hasGrants: settings.security?.access != nil)
            streamToken = thread.poller.add(socket.socket)
            streamSocket = socket
            stream = StreamOutlet(socket)
        } else {
            (streamToken, streamSocket, stream) = (nil, nil, nil)
        }
        try Security.serve(control, settings.security)
        try gate.watch(control, poller: &thread.poller)
        try control.bind(settings.control)
        bound = SenderEndpoints(controlAt: try control.lastEndpoint(), streamAt: streamSocket?.endpoint ?? "")
        controlToken = try thread.poller.add(control)
        self.thread = thread
        self.control = control
        self.gate = gate
        freight = UnreleasedAnswers(byteCountMax: settings.answersByteCount, waker: thread.waker)
    }

    deinit {
        // A poller keeps a shared socket open.
        if let streamToken { thread.poller.remove(streamToken) }
    }

    private static func bindStream(
        _ endpoint: String, _ settings: ServingSettings, in context: Context
    ) throws(ZeroMQError) -> sending Socket {
        let stream = try Socket(.xpub, in: context)
        try stream.applyDefaults(
            frameLimit: settings.frameByteCount, memoryLimit: settings.subscriberQueueByteCount)
        // Subscribers send subscriptions only. Topics are short, and each is kept for as long as its peer is connected.
        try stream.set(.maxMessageSize, ZeroMQServing.subscriptionByteCountMax)
        // The high-water mark counts frames of about one batch, not frames of the greatest size.
        let frames = max(2, settings.subscriberQueueByteCount / max(1, settings.batchByteCount))
        try stream.set(.sendHighWaterMark, frames)
        try stream.set(.linger, ZeroMQServing.linger)
        if settings.security?.access != nil { try stream.set(.xpubManual, true) }
        try Security.serve(stream, settings.security)
        try stream.bind(endpoint)
        return stream
    }

    /// How many clients were refused since the last call.
    func takeRefusedCount() -> UInt64 { gate.takeRefusedCount() }

    func reply(to peer: [UInt8], _ load: HeldMessage) throws(ModelcastError) -> Bool {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in
            guard try control.send(Message(peer), more: true) == .sent else { return false }
            _ = try control.send(load.message())
            return true
        }
    }

    /// libzmq drops the messages that wait for a peer with its connection.
    func cut(_ peers: [[UInt8]]) {
        for peer in peers {
            connections.removeValue(forKey: peer)?.cut()
            keys[peer] = nil
        }
    }

    /// Ends the connections of those who have no grant any more, or other rights to read than when they subscribed.
    /// They may connect again with what they have now.
    private func reviewGrants() {
        guard let access, access.version != version else { return }
        version = access.version
        func isOver(_ reader: Reader) -> Bool { access.grantee(of: reader.key)?.rights.readable != reader.readable }
        cut(keys.filter { isOver($0.value) }.map(\.key))
        for (connection, reader) in subscribers where isOver(reader) { cut(connection) }
    }

    private func cut(_ connection: Connection?) {
        guard let connection else { return }
        connection.cut()
        subscribers[connection] = nil
    }

    /// Lets a subscriber have what it may read of its subscription. One that has no grant, or subscribes under other
    /// rights than before, loses its connection.
    /// - Returns: whether the message is to be looked at further.
    private func admit(
        _ subscription: StreamSocket.Subscription, _ access: Access, on stream: StreamSocket
    ) throws(ZeroMQError) -> Bool {
        let now = Clocks.now().uptimeMicroseconds
        if subscription.isOther, let key = subscription.key {
            isMuddled = true
            banned = banned.filter { $0.value > now }
            banned[key] = now + ZeroMQServing.banMicroseconds
        }
        // libzmq 4.3.4 does not look whether the sender of a message is still there.
        guard !isMuddled, let key = subscription.key, let connection = subscription.connection, connection.isOpen,
            banned[key] ?? 0 <= now, let grantee = access.grantee(of: key)
        else {
            cut(subscription.connection)
            return false
        }
        if subscribers[connection] == nil, subscribers.count >= subscriberCountMax {
            subscribers = subscribers.filter { $0.key.isOpen }
            subscriberCountMax = max(1024, 2 * subscribers.count)
        }
        var reader = subscribers[connection] ?? Reader(key: key, readable: grantee.rights.readable)
        guard reader.readable == grantee.rights.readable, reader.filterCount < ZeroMQServing.filterCountMax else {
            cut(connection)
            return false
        }
        reader.filterCount += try stream.admit(subscription, of: grantee)
        subscribers[connection] = reader
        return true
    }

    /// Notes the connection of a peer. libzmq does not report the end of a connection, so closed ones are removed from
    /// time to time.
    private func note(_ connection: Connection, of peer: [UInt8]) {
        if connections.count >= connectionCountMax {
            connections = connections.filter { $0.value.isOpen }
            keys = keys.filter { connections[$0.key] != nil }
            connectionCountMax = max(1024, 2 * connections.count)
        }
        guard connections.updateValue(connection, forKey: peer) != connection else { return }
        connection.boundUnsent(byteCount: ZeroMQServing.unsentByteCount)
    }

    func receive(
        subscribed: ([UInt8]) -> Void, requested: ([UInt8], Grantee, [UInt8]) -> Void
    ) throws(ModelcastError) {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in
            reviewGrants()
            try gate.serve(poller: thread.poller)
            try receiveSubscriptions(subscribed)
            try receiveRequests(requested)
        }
    }

    private func receiveSubscriptions(_ subscribed: ([UInt8]) -> Void) throws(ZeroMQError) {
        guard let streamToken, thread.poller.isReadable(streamToken) else { return }
        for _ in 0..<ZeroMQServing.burst {
            // `subscribed` is called outside of the stream's lock: a writer takes that while it holds the publisher's
            // lock.
            guard let streamSocket, let subscription = try streamSocket.receive() else {
                isMuddled = false
                return
            }
            if let access, try !admit(subscription, access, on: streamSocket) { continue }
            let frame = subscription.frame
            // XPUB reports a subscription as one frame: 1 or 0, then the prefix.
            if frame.first == 1 { subscribed(Array(frame.dropFirst())) }
        }
    }

    private func receiveRequests(_ requested: ([UInt8], Grantee, [UInt8]) -> Void) throws(ZeroMQError) {
        guard thread.poller.isReadable(controlToken) else { return }
        var byteCount = 0
        for _ in 0..<ZeroMQServing.burst where byteCount < ZeroMQServing.burstByteCount {
            guard let request = try receiveRequest() else { return }
            byteCount += request.payload.count
            guard let access else {
                requested(request.peer, .anybody, request.payload)
                continue
            }
            guard let key = request.key, let grantee = access.grantee(of: key),
                case let readable = grantee.rights.readable, keys[request.peer]?.readable ?? readable == readable
            else {
                cut([request.peer])
                continue
            }
            keys[request.peer] = Reader(key: key, readable: readable)
            requested(request.peer, grantee, request.payload)
        }
    }

    private func receiveRequest() throws(ZeroMQError) -> (peer: [UInt8], key: Curve.PublicKey?, payload: [UInt8])? {
        guard try control.receive(into: &message) else { return nil }
        let peer = message.array
        var frames: [[UInt8]] = []
        var hasMore = message.hasMore
        while hasMore, try control.receive(into: &message) {
            if frames.count < 2 { frames.append(message.array) }
            hasMore = message.hasMore
        }
        if let connection = message.connection { note(connection, of: peer) }
        return (peer, access == nil ? nil : message.key, frames.count == 1 ? frames[0] : [])
    }
}
