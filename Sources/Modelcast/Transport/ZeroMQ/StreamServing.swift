import Logging
import ModelGrants
import ModelWire
import ZeroMQ

/// The stream of a sender as the thread sees it that serves: what subscribers send, and with grants who may listen to
/// which socket.
///
/// libzmq sends each subscriber what it subscribes to, so who may read less than others has a socket of its own, shared
/// with those who may read the same. It is bound when the first of them says `hello`, and the ZAP domain of the socket
/// lets in no others. Keys change with the grants: connections of those who may read other types than before are ended.
final class StreamServing {
    let sockets: StreamSockets
    private let settings: ServingSettings
    private let context: Context
    private let thread: ZeroMQThread
    private let gate: ClientGate
    private let access: Access?
    private var open: [Open] = []
    /// The number of the next socket, which stands in its domain.
    private var nextNumber = 1
    /// When no socket could be bound last, so that not every `hello` tries again.
    private var failedAt: UInt64?
    private var accounts = SubscriptionAccounts()
    private let watch: SubscriptionWatch
    private var connections = KeyConnections()

    /// A bound socket.
    private struct Open {
        let socket: StreamSocket
        let domain: String
        /// The number of the socket at the watch.
        let watched: Int
        let turns = SubscriptionWatch.Turns()
        let token: Poller.Token

        init(_ socket: StreamSocket, domain: String, _ watch: SubscriptionWatch, poller: inout Poller) {
            (self.socket, self.domain) = (socket, domain)
            watched = watch.add(socket.monitor, turns)
            token = poller.add(socket.socket)
        }
    }

    /// How many sockets there are for those who may read less than everything.
    static let narrowedCountMax = 256
    /// How many paths are tried where some are taken.
    private static let pathCountMax = 2 * narrowedCountMax
    private static let retryMicroseconds: UInt64 = 1_000_000
    /// How many messages are taken from a socket before the other sockets get their turn.
    private static let burst = 1024
    /// How many messages of one subscriber may wait.
    private static let waitingCount = 64
    private static let linger = Duration.seconds(1)
    /// Why a connection was ended.
    private static let excess = "it subscribes to more than one connection, or all together, may"
    /// The greatest message of a subscriber, in bytes: above any subscription or handshake. A peer that sends a longer
    /// one is cut.
    static let subscriptionByteCountMax = 1024

    /// Binds the socket of those who may read everything.
    init(
        at endpoint: String, _ settings: ServingSettings, in context: Context, _ thread: ZeroMQThread,
        _ gate: ClientGate
    ) throws(ZeroMQError) {
        (self.settings, self.context, self.thread, self.gate) = (settings, context, thread, gate)
        access = settings.security?.access
        if access != nil { try StreamServing.requireRoom(endpoint) }
        let domain = access == nil ? Security.domain : StreamServing.domain(0)
        if let access { gate.allow(access.keys(reading: [.all]), in: domain) }
        let main = try StreamServing.make(domain, [.all], settings, in: context) { socket throws(ZeroMQError) in
            try socket.bind(endpoint)
        }
        sockets = StreamSockets(main, hasGrants: access != nil)
        watch = try SubscriptionWatch.start()
        open = [Open(main, domain: domain, watch, poller: &thread.poller)]
    }

    deinit {
        watch.stop()
        for stream in open { thread.poller.remove(stream.token) }
    }

    private static func domain(_ number: Int) -> String { "\(Security.domain)-stream-\(number)" }

    private static func make(
        _ domain: String, _ readable: [NamePattern], _ settings: ServingSettings, in context: Context,
        bind: (borrowing Socket) throws(ZeroMQError) -> Void
    ) throws(ZeroMQError) -> StreamSocket {
        let stream = try Socket(.xpub, in: context)
        try stream.applyDefaults(
            frameLimit: settings.frameByteCount, memoryLimit: settings.subscriberQueueByteCount)
        // Subscribers send subscriptions only. Topics are short, and each is kept for as long as its peer is connected.
        try stream.set(.maxMessageSize, StreamServing.subscriptionByteCountMax)
        try stream.set(.receiveHighWaterMark, StreamServing.waitingCount)
        // The high-water mark counts frames of about one batch, not frames of the greatest size.
        let frames = max(2, settings.subscriberQueueByteCount / max(1, settings.batchByteCount))
        try stream.set(.sendHighWaterMark, frames)
        try stream.set(.linger, StreamServing.linger)
        try Security.serve(stream, settings.security, domain: domain)
        let monitor = try SharedMonitor(of: stream)
        try bind(stream)
        return try StreamSocket(stream, monitor, readable: readable)
    }

    // MARK: Sockets for some types

    /// The endpoint for those who may read these types, which is bound where it is not yet.
    /// - Returns: nil for the stream of all, empty where no more can be bound.
    func endpoint(reading readable: [NamePattern]) -> String? {
        guard let access, readable != [.all] else { return nil }
        if let found = open.first(where: { $0.socket.readable == readable }) { return found.socket.endpoint }
        let now = Clocks.now().uptimeMicroseconds
        if let failedAt, now < failedAt + StreamServing.retryMicroseconds { return "" }
        func refuse(_ reason: String) -> String {
            failedAt = now
            settings.logger.error(
                "a key that may read some types only gets no stream",
                metadata: ["types": "\(readable)", "reason": "\(reason)"])
            return ""
        }
        guard open.count <= StreamServing.narrowedCountMax || closeOneUnused() else {
            return refuse("\(StreamServing.narrowedCountMax) streams are used by keys that may read different types")
        }
        do throws(ZeroMQError) {
            let stream = try openNarrowed(reading: readable, access)
            failedAt = nil
            settings.logger.info(
                "a stream for keys that may read some types only",
                metadata: ["endpoint": "\(stream.endpoint)", "types": "\(readable)"])
            return stream.endpoint
        } catch {
            // A port or path may be held by a stream to which nobody listens; the next `hello` finds it free.
            if error.code == .addressInUse, closeOneUnused() {
                return refuse("\(error); one that nobody uses was closed")
            }
            return refuse("\(error)")
        }
    }

    private func openNarrowed(reading readable: [NamePattern], _ access: Access) throws(ZeroMQError) -> StreamSocket {
        let domain = StreamServing.domain(nextNumber)
        gate.allow(access.keys(reading: readable), in: domain)
        let socket: StreamSocket
        do throws(ZeroMQError) {
            socket = try bindBesideMain(domain, readable)
        } catch {
            gate.allow(nil, in: domain)
            throw error
        }
        nextNumber += 1
        open.append(Open(socket, domain: domain, watch, poller: &thread.poller))
        sockets.open(socket)
        return socket
    }

    /// Binds a socket on the host of the main one, or beside its file. Clients make this happen, so nothing in it may
    /// end the process where descriptors are scarce.
    private func bindBesideMain(_ domain: String, _ readable: [NamePattern]) throws(ZeroMQError) -> StreamSocket {
        let ports = settings.security?.streamPorts
        let places: [Endpoint] =
            switch try? Endpoint(sockets.main.endpoint) {
            case .tcp(let host, _): ports?.map { .tcp(host: host, port: $0) } ?? [.tcp(host: host, port: nil)]
            case .ipc(let path): (1...StreamServing.pathCountMax).map { .ipc(path: "\(path)-\($0)") }
            case .inproc, nil: []
            }
        let taken = Set(open.map(\.socket.endpoint))
        let among = ports.map { ", of the ports \($0.lowerBound)-\($0.upperBound)" } ?? ""
        var failure = ZeroMQError(
            .addressInUse, call: "zmq_bind",
            detail: "for one more stream\(among), where \(open.count - 1) are open for other types")
        for place in places where !taken.contains(place.description) {
            do throws(ZeroMQError) {
                return try StreamServing.make(domain, readable, settings, in: context) { socket throws(ZeroMQError) in
                    if case .tcp(let host, let port) = place {
                        try socket.bind(toAddress: host, port: port)
                    } else {
                        try socket.bind(place.description)
                    }
                }
            } catch {
                failure = error
                guard [.addressInUse, .fileExists].contains(error.code) else { throw error }
            }
        }
        throw failure
    }

    /// Refuses a path at which the sockets of those who may read some types only would have no room for their number.
    private static func requireRoom(_ endpoint: String) throws(ZeroMQError) {
        guard case .ipc(let path)? = try? Endpoint(endpoint) else { return }
        do { _ = try Endpoint("ipc://\(path)-\(pathCountMax)") } catch {
            throw ZeroMQError(
                .nameTooLong, call: "zmq_bind",
                detail: "\(endpoint), to which grants add \("-\(pathCountMax)".count) bytes")
        }
    }

    /// Closes a socket to which nobody listens, so that another can be bound.
    /// - Returns: whether there was one.
    private func closeOneUnused() -> Bool {
        let used = accounts.used
        guard let unused = open.dropFirst().first(where: { !used.contains($0.socket.readable) }) else { return false }
        close(unused)
        return true
    }

    private func close(_ stream: Open) {
        gate.allow(nil, in: stream.domain)
        // A poller keeps a shared socket open.
        thread.poller.remove(stream.token)
        watch.remove(stream.watched)
        sockets.close(stream.socket)
        open.removeAll { $0.socket === stream.socket }
    }

    /// Lets other grants hold: other keys come in, connections of those who may read other types than before are ended,
    /// and sockets for which nobody has the rights any more are closed.
    func review() {
        guard let access else { return }
        for stream in open {
            let keys = access.keys(reading: stream.socket.readable)
            if keys.isEmpty, stream.socket !== sockets.main {
                close(stream)
            } else {
                gate.allow(keys, in: stream.domain)
            }
        }
        accounts.cut { access.grantee(of: $0)?.readable }
        watch.cutSilent()
    }

    // MARK: Subscriptions

    /// Takes what subscribers have sent.
    /// - Parameter subscribed: is called outside of the lock of a socket, as a writer takes that while it holds the
    ///   publisher's lock.
    func receive(_ subscribed: ([UInt8]) -> Void) throws(ZeroMQError) {
        let endedCount = watch.takeEndedCount()
        for _ in 0..<endedCount { gate.note(StreamServing.excess) }
        if endedCount > 0 { accounts.forgetGone() }
        for stream in open {
            guard thread.poller.isReadable(stream.token) else {
                stream.turns.next()
                continue
            }
            for _ in 0..<StreamServing.burst {
                guard let subscription = try stream.socket.receive() else {
                    stream.turns.next()
                    break
                }
                if let connection = subscription.connection { watch.spoke(connection, at: stream.watched) }
                guard isAdmitted(subscription, stream.socket), subscription.isWhole else { continue }
                // XPUB reports a subscription as one frame: 1 or 0, then the prefix.
                guard subscription.frame.first == 1, case let prefix = Array(subscription.frame.dropFirst()),
                    mayBeAnswered(prefix, subscription.connection)
                else { continue }
                subscribed(prefix)
            }
        }
    }

    /// Ends a connection that makes too many subscriptions, that is one more than its key may have, or whose key may
    /// read other types than it did at its beginning.
    private func isAdmitted(_ subscription: StreamSocket.Subscription, _ socket: StreamSocket) -> Bool {
        guard let connection = subscription.connection else { return access == nil }
        guard !accounts.hasEnded(connection) else { return false }
        let mayRead = access.map { mayListen(subscription.key, by: connection, to: socket, $0) } ?? true
        let isCounted = accounts.count(
            subscription.frame, of: connection, key: subscription.key, reading: socket.readable)
        guard mayRead, isCounted else {
            if !isCounted { gate.note(StreamServing.excess) }
            accounts.cut(connection)
            return false
        }
        return true
    }

    /// The prefix is no barrier, or one that the connection may raise.
    private func mayBeAnswered(_ prefix: [UInt8], _ connection: Connection?) -> Bool {
        guard Topic(barrier: prefix) != nil, let connection else { return true }
        return accounts.mayRaiseBarrier(connection, at: Clocks.now().uptimeMicroseconds)
    }

    private func mayListen(
        _ key: Curve.PublicKey?, by connection: Connection, to socket: StreamSocket, _ access: Access
    ) -> Bool {
        guard let key, let grantee = access.grantee(of: key), grantee.readable == socket.readable else { return false }
        return connections.admits(connection, of: key, atMost: grantee.limits[.connections])
    }
}
