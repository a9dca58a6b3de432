import Logging
import ModelGrants
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
    /// The number of the next socket, which stands in its domain and in the path of its endpoint.
    private var nextNumber = 1
    /// Since when no socket can be bound; looked at so that not every `hello` tries again.
    private var failedAt: UInt64?
    /// The subscribers, where there are grants.
    private var subscribers: [Connection: Subscriber] = [:]
    private var subscriberCountMax = 1024

    /// A bound socket.
    private struct Open {
        let socket: StreamSocket
        let domain: String
        let token: Poller.Token
    }

    private struct Subscriber {
        let key: Curve.PublicKey
        /// The types that the socket brings.
        let readable: [NamePattern]
        /// How many subscriptions it has begun.
        var count = 0
    }

    /// How many sockets there are for those who may read less than everything.
    static let narrowedCountMax = 256
    /// How many subscriptions one connection may begin where there are grants.
    private static let subscriptionCountMax = 8192
    private static let retryMicroseconds: UInt64 = 1_000_000
    /// How many messages are taken from a socket before the other sockets get their turn.
    private static let burst = 256
    private static let linger = Duration.seconds(1)
    /// The greatest message of a subscriber, in bytes: above any subscription or handshake. A peer that sends a longer
    /// one is cut.
    static let subscriptionByteCountMax = 4096

    /// Binds the socket of those who may read everything.
    init(
        at endpoint: String, _ settings: ServingSettings, in context: Context, _ thread: ZeroMQThread,
        _ gate: ClientGate
    ) throws(ZeroMQError) {
        (self.settings, self.context, self.thread, self.gate) = (settings, context, thread, gate)
        access = settings.security?.access
        let domain = access == nil ? Security.domain : StreamServing.domain(0)
        if let access { gate.allow(access.keys(reading: [.all]), in: domain) }
        let main = try StreamSocket(StreamServing.bind(endpoint, domain, settings, in: context))
        sockets = StreamSockets(main, hasGrants: access != nil)
        open = [Open(socket: main, domain: domain, token: thread.poller.add(main.socket))]
    }

    deinit {
        // A poller keeps a shared socket open.
        for stream in open { thread.poller.remove(stream.token) }
    }

    private static func domain(_ number: Int) -> String { "\(Security.domain)-stream-\(number)" }

    private static func bind(
        _ endpoint: String, _ domain: String, _ settings: ServingSettings, in context: Context
    ) throws(ZeroMQError) -> sending Socket {
        let stream = try Socket(.xpub, in: context)
        try stream.applyDefaults(
            frameLimit: settings.frameByteCount, memoryLimit: settings.subscriberQueueByteCount)
        // Subscribers send subscriptions only. Topics are short, and each is kept for as long as its peer is connected.
        try stream.set(.maxMessageSize, StreamServing.subscriptionByteCountMax)
        // The high-water mark counts frames of about one batch, not frames of the greatest size.
        let frames = max(2, settings.subscriberQueueByteCount / max(1, settings.batchByteCount))
        try stream.set(.sendHighWaterMark, frames)
        try stream.set(.linger, StreamServing.linger)
        try Security.serve(stream, settings.security, domain: domain)
        try stream.bind(endpoint)
        return stream
    }

    /// The endpoint for those who may read these types, which is bound where it is not yet.
    /// - Returns: nil for the stream of all, empty where no more can be bound.
    func endpoint(reading readable: [NamePattern]) -> String? {
        guard let access, readable != [.all] else { return nil }
        if let found = open.first(where: { $0.socket.readable == readable }) { return found.socket.endpoint }
        let now = Clocks.now().uptimeMicroseconds
        if let failedAt, now < failedAt + StreamServing.retryMicroseconds { return "" }
        do throws(ZeroMQError) {
            let stream = try openNarrowed(reading: readable, access)
            failedAt = nil
            settings.logger.info(
                "a stream for keys that may read some types only",
                metadata: [
                    "endpoint": "\(stream.endpoint)",
                    "types": "\(readable.map(\.description).joined(separator: " "))",
                ])
            return stream.endpoint
        } catch {
            failedAt = now
            settings.logger.error(
                "a key that may read some types only gets no stream",
                metadata: [
                    "types": "\(readable.map(\.description).joined(separator: " "))", "reason": "\(error)",
                ])
            return ""
        }
    }

    private func openNarrowed(reading readable: [NamePattern], _ access: Access) throws(ZeroMQError) -> StreamSocket {
        guard open.count <= StreamServing.narrowedCountMax else {
            throw ZeroMQError(
                .tooManyOpenFiles, call: "zmq_bind",
                detail: "\(StreamServing.narrowedCountMax) streams for keys that may read different types are open")
        }
        let domain = StreamServing.domain(nextNumber)
        gate.allow(access.keys(reading: readable), in: domain)
        let socket: StreamSocket
        do throws(ZeroMQError) {
            socket = try bindBeside(domain, readable)
        } catch {
            gate.allow(nil, in: domain)
            throw error
        }
        nextNumber += 1
        open.append(Open(socket: socket, domain: domain, token: thread.poller.add(socket.socket)))
        sockets.open(socket)
        return socket
    }

    /// Binds a socket on the host of the main one, or beside its file.
    private func bindBeside(_ domain: String, _ readable: [NamePattern]) throws(ZeroMQError) -> StreamSocket {
        func bind(_ endpoint: String) throws(ZeroMQError) -> StreamSocket {
            try StreamSocket(StreamServing.bind(endpoint, domain, settings, in: context), readable: readable)
        }
        switch try? Endpoint(sockets.main.endpoint) {
        case .tcp(let host, _):
            guard let ports = settings.security?.streamPorts else { return try bind("tcp://\(host):*") }
            var failure: ZeroMQError?
            for port in ports {
                do throws(ZeroMQError) { return try bind("tcp://\(host):\(port)") } catch { failure = error }
            }
            throw failure ?? ZeroMQError(.addressInUse, call: "zmq_bind", detail: "no port")
        case .ipc(let path): return try bind("ipc://\(path)-\(nextNumber)")
        case .inproc, nil: return try bind(sockets.main.endpoint)
        }
    }

    /// Lets other grants hold: other keys come in, connections of those who may read other types than before are ended,
    /// and sockets for which nobody has the rights any more are closed.
    func review() {
        guard let access else { return }
        for stream in open {
            let keys = access.keys(reading: stream.socket.readable)
            let isOver = keys.isEmpty && stream.socket !== sockets.main
            gate.allow(isOver ? nil : keys, in: stream.domain)
            guard isOver else { continue }
            thread.poller.remove(stream.token)
            sockets.close(stream.socket)
        }
        open.removeAll { stream in stream.socket !== sockets.main && !sockets.narrowed.contains { $0 === stream.socket }
        }
        for (connection, subscriber) in subscribers
        where access.grantee(of: subscriber.key)?.rights.readable != subscriber.readable {
            connection.cut()
            subscribers[connection] = nil
        }
    }

    /// Takes what subscribers have sent.
    /// - Parameter subscribed: is called outside of the lock of a socket, as a writer takes that while it holds the
    ///   publisher's lock.
    func receive(_ subscribed: ([UInt8]) -> Void) throws(ZeroMQError) {
        for stream in open where thread.poller.isReadable(stream.token) {
            for _ in 0..<StreamServing.burst {
                guard let subscription = try stream.socket.receive() else { break }
                guard subscription.isWhole, access == nil || isAdmitted(subscription, stream.socket) else { continue }
                // XPUB reports a subscription as one frame: 1 or 0, then the prefix.
                if subscription.frame.first == 1 { subscribed(Array(subscription.frame.dropFirst())) }
            }
        }
    }

    /// Counts the subscriptions of a connection, and ends one whose key may read other types than it did at its
    /// beginning.
    private func isAdmitted(_ subscription: StreamSocket.Subscription, _ socket: StreamSocket) -> Bool {
        guard let access, let key = subscription.key, let connection = subscription.connection else { return false }
        if subscribers[connection] == nil, subscribers.count >= subscriberCountMax {
            subscribers = subscribers.filter { $0.key.isOpen }
            subscriberCountMax = max(1024, 2 * subscribers.count)
        }
        var subscriber = subscribers[connection] ?? Subscriber(key: key, readable: socket.readable)
        // Ends are not counted: nobody says whether what ends had begun.
        if subscription.frame.first == 1 { subscriber.count += 1 }
        subscribers[connection] = subscriber
        guard access.grantee(of: key)?.rights.readable == socket.readable,
            subscriber.count <= StreamServing.subscriptionCountMax
        else {
            connection.cut()
            subscribers[connection] = nil
            return false
        }
        return true
    }
}
