import Logging
import ModelSync
import ModelWire
import ZeroMQ

/// A publisher's connections to the relays that it pushes to, and the state machine that does not rest until all is
/// acknowledged. Belongs to the socket thread.
final class PushLinks {
    let machine: Pusher
    private let endpoints: [String]
    private let frameByteCount: Int
    private let context: Context
    private let security: Security?
    private let logger: Logger
    private var links: [Link] = []
    private var message = Message()

    /// How many replies are taken from a socket before the others get their turn.
    private static let burst = 256
    /// What may wait to be sent to one relay; the window keeps it far below.
    private static let queueByteCount = 256 << 20

    private final class Link {
        var socket: Socket?
        var token: Poller.Token?
        /// Until the connection is greeted.
        var watch: HandshakeWatch?
        /// The reasons that were logged since the last greeting.
        var toldReasons: Set<String> = []
        /// When the connection is to be opened, also again: what was on its way is gone. Nil while it is open.
        var openAt: UInt64? = 0
        /// How often it was refused in a row.
        var refusals = 0
    }

    /// - Parameter configuration: names at least one relay.
    init(_ configuration: PublisherConfiguration, logger: Logger) throws(ZeroMQError) {
        machine = Pusher(
            configuration: PusherConfiguration(
                acknowledgement: configuration.acknowledgement, byteCountMax: configuration.outboxByteCount,
                limits: configuration.limits))
        endpoints = configuration.relays
        self.logger = logger
        security = configuration.security
        frameByteCount = configuration.limits.frameByteCount
        context = try Context()
        for _ in endpoints {
            _ = machine.addRelay()
            links.append(Link())
        }
    }

    /// Takes a message of the stream; what is no batch is not pushed.
    func push(_ topic: Topic, _ payload: [UInt8]) {
        do {
            try machine.push(topic: topic, payload: payload)
        } catch {
            preconditionFailure("an origin has made a batch that cannot be read: \(error)")
        }
    }

    /// Does what is due, and takes the replies that have arrived.
    func step(poller: inout Poller, now: Moment) throws(ZeroMQError) {
        for (index, link) in links.enumerated() {
            if let token = link.token, poller.isReadable(token) { try receive(index, now: now) }
        }
        try lookForRefusals(now: now)
        machine.tick(now: now)
        try carryOut(poller: &poller, now: now)
    }

    /// In microseconds: none after anything else than a refusal, as libzmq pauses by itself between attempts.
    private static func pause(after refusals: Int) -> UInt64 {
        refusals == 0 ? 0 : min(50_000 << UInt64(min(refusals - 1, 10)), 2_000_000)
    }

    /// Gives up connections whose other side does not let this one in, or is not who it should be.
    private func lookForRefusals(now: Moment) throws(ZeroMQError) {
        for (index, link) in links.enumerated() {
            switch try link.watch?.look() ?? .pending {
            case .pending: continue
            case .succeeded:
                link.watch = nil
                link.toldReasons = []
                link.refusals = 0
            case .failed(let reason):
                link.watch = nil
                link.refusals += 1
                machine.disconnected(index, reason: reason, now: now)
                guard link.toldReasons.insert(reason).inserted else { continue }
                logger.warning(
                    "no trust between this process and a relay",
                    metadata: ["relay": "\(endpoints[index])", "reason": "\(reason)"])
            }
        }
    }

    /// Opens connections, sends requests.
    private func carryOut(poller: inout Poller, now: Moment) throws(ZeroMQError) {
        for action in machine.takeActions() {
            switch action {
            case .request(let relay, let payload): _ = try links[relay].socket?.send(Message(payload))
            case .reconnect(let relay):
                links[relay].watch = nil
                links[relay].socket = nil
                links[relay].token = nil
                links[relay].openAt = now.uptimeMicroseconds + PushLinks.pause(after: links[relay].refusals)
            case .notice(let notice): logger.log(notice)
            }
        }
        for index in links.indices {
            guard let time = links[index].openAt, now.uptimeMicroseconds >= time else { continue }
            links[index].openAt = nil
            try open(index, poller: &poller)
            machine.connected(index, now: now)
        }
        if machine.hasActions { try carryOut(poller: &poller, now: now) }
    }

    private func open(_ index: Int, poller: inout Poller) throws(ZeroMQError) {
        let socket = try Socket(.dealer, in: context)
        try socket.applyDefaults(frameLimit: frameByteCount, memoryLimit: PushLinks.queueByteCount)
        try security?.connect(socket, control: endpoints[index])
        links[index].watch = try HandshakeWatch(socket, security)
        try socket.connect(endpoints[index])
        links[index].token = try poller.add(socket)
        links[index].socket = consume socket
    }

    private func receive(_ index: Int, now: Moment) throws(ZeroMQError) {
        for _ in 0..<PushLinks.burst {
            guard try links[index].socket?.receive(into: &message) ?? false else { return }
            let isWhole = !message.hasMore
            if isWhole { message.withSpan { machine.receive(index, $0, now: now) } }
            while message.hasMore, try links[index].socket?.receive(into: &message) ?? false {}
        }
    }
}
