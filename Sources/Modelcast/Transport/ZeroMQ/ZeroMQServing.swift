import Logging
import ModelCache
import ModelGrants
import ModelSync
import ZeroMQ

/// The sockets of a sender, which is a publisher or relay: XPUB for the stream, ROUTER for control. They belong to one
/// thread, except that a publisher's writers send on the stream, too. A subscriber that can be asked has only the
/// ROUTER.
///
/// They are closed when this is released: once the messages that they hold have been sent, but after a second at the
/// latest.
final class ZeroMQServing: ServingEnd {
    /// The endpoints where both are bound, with the ports that the system chose.
    let bound: SenderEndpoints
    /// Nil where there is no stream.
    let stream: StreamOutlet?
    private let streams: StreamServing?
    private let thread: ZeroMQThread
    private let control: Socket
    private let gate: ClientGate
    /// The replies that have not left the process yet.
    let freight: UnreleasedAnswers
    /// The rights of keys; nil where each client that has come in may do everything.
    private let access: Access?
    /// The version of the grants that the connections were last held against.
    private var version: UInt64
    /// The connections of the peers, so that they can be cut.
    private var connections: [[UInt8]: Link] = [:]
    /// The keys of the connections, where there are grants, with what each may read.
    private var keys: [[UInt8]: Reader] = [:]
    private var connectionCountMax = 1024
    private var keyConnections = KeyConnections()
    /// The connections that are one more than their keys may have, and when each is ended: the answer leaves first.
    private var excess = Fifo<(peer: [UInt8], at: UInt64)>()
    private var unfinished: UnfinishedMessages
    private let controlToken: Poller.Token
    private var message = Message()

    /// A connection, and where it comes from.
    private struct Link {
        let connection: Connection
        let address: String
        var messageCount: UInt64 = 0
    }

    /// The owner of a connection, and what it may read there.
    private struct Reader {
        let key: Curve.PublicKey
        let readable: [NamePattern]
        /// The owner was told that its key has too many connections.
        let isExcess: Bool
    }

    /// How many messages are taken from a socket before the other sockets get their turn.
    private static let burst = 256
    /// The same limit in bytes of requests, as long requests take long to read.
    private static let burstByteCount = 256 << 10
    /// The same limit in time: the heads of a relay of thousands of topics take milliseconds for each request.
    private static let burstMicroseconds: UInt64 = 2_000
    /// The lowest high-water mark of replies for one peer: above what credit and budgets let wait.
    private static let replyCount = 1024
    /// How many requests of one peer may wait to be read. Each is a frame at most.
    private static let requestCount = 32
    /// How many bytes may wait in the system for one connection. A line is kept busy with less.
    private static let unsentByteCount = 1 << 20
    private static let linger = Duration.seconds(1)
    private static let excessMicroseconds: UInt64 = 500_000

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
        unfinished = UnfinishedMessages(frameByteCount: settings.frameByteCount)
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
        streams =
            if let endpoint = settings.stream {
                try StreamServing(at: endpoint, settings, in: context, thread, gate)
            } else {
                nil
            }
        stream = streams.map { StreamOutlet($0.sockets) }
        try Security.serve(control, settings.security)
        try gate.watch(control, poller: &thread.poller)
        try control.bind(settings.control)
        bound = SenderEndpoints(controlAt: try control.lastEndpoint(), streamAt: streams?.sockets.main.endpoint ?? "")
        controlToken = try thread.poller.add(control)
        self.thread = thread
        self.control = control
        self.gate = gate
        freight = UnreleasedAnswers(byteCountMax: settings.answersByteCount, waker: thread.waker)
    }

    /// The clients that were refused since the last call, by reason.
    func takeRefused() -> [RefusedClients] { gate.takeRefused() }

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
            connections.removeValue(forKey: peer)?.connection.cut()
            keys[peer] = nil
        }
    }

    /// Lets other grants hold. The connections of those who have none any more, or other rights to read than before,
    /// are ended; they may connect again with what they have now.
    private func reviewGrants() {
        guard let access, access.version != version else { return }
        version = access.version
        gate.allow(access.keys)
        cut(
            keys.filter { access.grantee(of: $0.value.key)?.readable != $0.value.readable }.map(\.key))
        gate.silent.cutAll()
        streams?.review()
    }

    private func cutExcess() {
        guard let first = excess.first else { return }
        let now = Clocks.now().uptimeMicroseconds
        guard first.at <= now else { return }
        while let first = excess.first, first.at <= now {
            _ = excess.removeFirst()
            cut([first.peer])
        }
    }

    /// Notes the connection of a peer. libzmq does not report the end of a connection, so closed ones are removed from
    /// time to time.
    private func note(_ connection: Connection, of peer: [UInt8]) {
        if connections.count >= connectionCountMax {
            forgetClosed()
            connectionCountMax = max(1024, 2 * connections.count)
        }
        guard connections[peer]?.connection != connection else { return }
        connections[peer] = Link(connection: connection, address: message.address ?? "")
        connection.boundUnsent(byteCount: ZeroMQServing.unsentByteCount)
    }

    private func forgetClosed() {
        connections = connections.filter { $0.value.connection.isOpen }
        keys = keys.filter { connections[$0.key] != nil }
    }

    func receive(
        subscribed: ([UInt8]) -> Void, requested: (IncomingRequest) -> Void
    ) throws(ModelcastError) {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in
            reviewGrants()
            cutExcess()
            try gate.serve(poller: thread.poller)
            try streams?.receive(subscribed)
            if try receiveRequests(requested) { cutUnfinished() }
        }
    }

    /// A message that does not end wakes nobody, so it is looked for from time to time.
    var nextLook: UInt64 { connections.isEmpty && gate.silent.isEmpty ? .max : unfinished.nextLook }

    /// Ends the connections that send a message which does not end.
    private func cutUnfinished() {
        let now = Clocks.now().uptimeMicroseconds
        guard now >= unfinished.nextLook else { return }
        // Where all have gone, nobody needs to be looked at any more.
        forgetClosed()
        let spoken = connections.values.map { (connection: $0.connection, messageCount: $0.messageCount) }
        let silent = gate.silent.connections.map { (connection: $0, messageCount: UInt64(0)) }
        for connection in unfinished.look(at: spoken + silent, at: now) {
            connection.cut()
            gate.note("it sends a message that does not end")
        }
    }

    /// Hands a burst of requests over.
    /// - Returns: whether there are no more.
    private func receiveRequests(_ requested: (IncomingRequest) -> Void) throws(ZeroMQError) -> Bool {
        guard thread.poller.isReadable(controlToken) else { return true }
        var byteCount = 0
        let end = Clocks.now().uptimeMicroseconds + ZeroMQServing.burstMicroseconds
        for count in 0..<ZeroMQServing.burst where byteCount < ZeroMQServing.burstByteCount {
            guard count == 0 || Clocks.now().uptimeMicroseconds < end else { return false }
            guard let request = try receiveRequest() else { return true }
            byteCount += request.payload.count
            guard let access else {
                requested(IncomingRequest(peer: request.peer, address: request.address, payload: request.payload))
                continue
            }
            guard let key = request.key, let grantee = access.grantee(of: key),
                case let readable = grantee.readable, keys[request.peer]?.readable ?? readable == readable
            else {
                cut([request.peer])
                continue
            }
            let isExcess = !keyConnections.admits(
                connections[request.peer]?.connection, of: key, atMost: grantee.limits[.connections])
            // A peer beyond the connections that its key may have is told so once. Its connection is ended a moment
            // later, so that the reply arrives.
            if isExcess {
                guard !(keys[request.peer]?.isExcess ?? false) else { continue }
                excess.append((request.peer, Clocks.now().uptimeMicroseconds + ZeroMQServing.excessMicroseconds))
            }
            keys[request.peer] = Reader(key: key, readable: readable, isExcess: isExcess)
            requested(
                IncomingRequest(
                    peer: request.peer, grantee: grantee, isExcess: isExcess, address: request.address,
                    payload: request.payload,
                    stream: { [streams] in streams?.endpoint(reading: readable) }))
        }
        return false
    }

    private struct Request {
        let peer: [UInt8]
        let key: Curve.PublicKey?
        let address: String
        let payload: [UInt8]
    }

    private func receiveRequest() throws(ZeroMQError) -> Request? {
        guard try control.receive(into: &message) else { return nil }
        let peer = message.array
        var frames: [[UInt8]] = []
        var hasMore = message.hasMore
        while hasMore, try control.receive(into: &message) {
            if frames.count < 2 { frames.append(message.array) }
            hasMore = message.hasMore
        }
        if let connection = message.connection {
            gate.silent.spoke(connection)
            note(connection, of: peer)
            connections[peer]?.messageCount += 1
        }
        return Request(
            peer: peer, key: access == nil ? nil : message.key, address: connections[peer]?.address ?? "",
            payload: frames.count == 1 ? frames[0] : [])
    }
}
