import ZeroMQ

/// A DEALER that is connected to the ROUTER of a sender.
final class ZeroMQRequestConnection: RequestConnection {
    /// Watches the handshake; nil once nothing more is to be told.
    private var watch: HandshakeWatch?
    private let thread: ZeroMQThread
    private let socket: Socket
    private let token: Poller.Token
    private let watchesLoss: Bool
    private var message = Message()

    init(
        to endpoint: String, _ settings: ConnectionSettings, in context: Context, _ thread: ZeroMQThread
    ) throws(ZeroMQError) {
        let socket = try Socket(.dealer, in: context)
        try socket.applyDefaults(frameLimit: settings.frameByteCount, memoryLimit: settings.queueByteCount)
        try socket.set(.linger, settings.linger)
        try settings.security?.connect(socket, control: endpoint)
        let watch = try HandshakeWatch(socket, settings.security)
        try socket.connect(endpoint)
        if settings.greetings == .waking { try watch.add(to: &thread.poller) }
        token = try thread.poller.add(socket)
        self.thread = thread
        self.socket = socket
        self.watch = consume watch
        watchesLoss = settings.greetings != .untilGreeted
    }

    var isReadable: Bool { thread.poller.isReadable(token) }

    func send(_ request: [UInt8]) throws(ModelcastError) {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in _ = try socket.send(Message(request)) }
    }

    func receive(_ body: (Span<UInt8>) -> Void) throws(ModelcastError) -> Receipt {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in
            guard try socket.receive(into: &message) else { return .nothing }
            guard message.hasMore else {
                message.withSpan(body)
                return .reply
            }
            while message.hasMore, try socket.receive(into: &message) {}
            return .malformed
        }
    }

    func look() throws(ModelcastError) -> Greeting {
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in
            let greeting = try watch?.look() ?? .pending
            switch greeting {
            case .pending: break
            case .succeeded: if !watchesLoss { watch = nil }
            case .lost, .failed: watch = nil
            }
            return greeting
        }
    }
}
