import ModelSync
import ZeroMQ

/// The two sockets towards one sender, and when to open them again after a loss. Belongs to the socket thread.
final class SenderLink {
    let sender: SenderID
    /// The control endpoint.
    let endpoint: String
    private(set) var control: Socket?
    private(set) var stream: Socket?
    private(set) var controlToken: Poller.Token?
    private(set) var streamToken: Poller.Token?
    /// Watches the handshake of the control connection, until that has succeeded or failed.
    private var watch: HandshakeWatch?
    /// The reasons that were logged since the last greeting.
    private var toldReasons: Set<String> = []
    /// Finds out why no sender answers at the endpoint.
    private let reach: ReachWatch
    /// When the control connection is to be opened, for the first time or again; nil while it is open.
    var reopenAt: UInt64? = 0
    var pause = ReconnectPause()

    init(sender: SenderID, endpoint: String, hasKeys: Bool) {
        self.sender = sender
        self.endpoint = endpoint
        reach = ReachWatch(endpoint, hasKeys: hasKeys)
    }

    /// Opens the control connection.
    func openControl(
        in context: Context, poller: inout Poller, configuration: SenderLinks.Configuration, now: Moment
    ) throws(ZeroMQError) {
        reach.opened(now: now)
        let socket = try Socket(.dealer, in: context)
        try socket.applyDefaults(
            frameLimit: configuration.frameByteCount, memoryLimit: configuration.queueByteCount)
        try socket.set(.linger, .milliseconds(200))
        try configuration.security?.connect(socket, control: endpoint)
        watch = try HandshakeWatch(socket, configuration.security)
        try socket.connect(endpoint)
        controlToken = try poller.add(socket)
        control = consume socket
    }

    /// Opens the stream connection.
    func openStream(
        to endpoint: String, in context: Context, poller: inout Poller, configuration: SenderLinks.Configuration
    ) throws(ZeroMQError) {
        stream = nil
        let socket = try Socket(.sub, in: context)
        try socket.applyDefaults(
            frameLimit: configuration.frameByteCount, memoryLimit: configuration.queueByteCount)
        // Frames are batches of some 32 KiB, so the limit of the queue allows more of them than of the greatest frames.
        try socket.set(.receiveHighWaterMark, max(2, configuration.queueByteCount / (32 * 1024)))
        // The stream proves the same key as the control connection.
        try configuration.security?.connect(socket, control: self.endpoint)
        try socket.connect(endpoint)
        streamToken = try poller.add(socket)
        stream = consume socket
    }

    /// Looks whether the other side refuses this one, or does not prove the expected key.
    /// - Returns: the reason, and whether it is new since the last greeting; nil while nothing is known, or all is
    ///   well.
    func lookForRefusal() throws(ZeroMQError) -> (reason: String, isNews: Bool)? {
        switch try watch?.look() ?? .pending {
        case .pending: return nil
        case .succeeded, .lost:
            watch = nil
            toldReasons = []
            reach.greeted()
            return nil
        case .failed(let reason):
            watch = nil
            return (reason, toldReasons.insert(reason).inserted)
        }
    }

    /// The result of the looks for why no sender answers at the endpoint; nil where there is none.
    func lookForReach(now: Moment) -> ReachWatch.Finding? { reach.look(now: now) }

    /// Closes both connections.
    func close() {
        watch = nil
        control = nil
        stream = nil
        controlToken = nil
        streamToken = nil
    }

    func subscribe(to prefix: [UInt8]) throws(ZeroMQError) { try stream?.subscribe(to: prefix) }
    func unsubscribe(from prefix: [UInt8]) throws(ZeroMQError) { try stream?.unsubscribe(from: prefix) }

    /// Sends one request. A request that cannot be queued is lost, and the replica asks again.
    func request(_ payload: [UInt8]) throws(ZeroMQError) { _ = try control?.send(Message(payload)) }

    func receiveControl(into message: inout Message) throws(ZeroMQError) -> Bool {
        try control?.receive(into: &message) ?? false
    }

    func receiveStream(into message: inout Message) throws(ZeroMQError) -> Bool {
        try stream?.receive(into: &message) ?? false
    }
}
