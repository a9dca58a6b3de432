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
        /// Opens the connection, also again: what was on its way is gone.
        var isToBeOpened = true
    }

    /// - Parameter configuration: names at least one relay.
    init(_ configuration: PublisherConfiguration, logger: Logger) throws(ZeroMQError) {
        machine = Pusher(
            configuration: PusherConfiguration(
                acknowledgement: configuration.acknowledgement, byteCountMax: configuration.outboxByteCount,
                limits: configuration.limits))
        endpoints = configuration.relays
        self.logger = logger
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
        machine.tick(now: now)
        try carryOut(poller: &poller, now: now)
    }

    /// Opens connections, sends requests.
    private func carryOut(poller: inout Poller, now: Moment) throws(ZeroMQError) {
        for action in machine.takeActions() {
            switch action {
            case .request(let relay, let payload): _ = try links[relay].socket?.send(Message(payload))
            case .reconnect(let relay):
                links[relay].socket = nil
                links[relay].token = nil
                links[relay].isToBeOpened = true
            case .notice(let notice): logger.log(notice)
            }
        }
        for index in links.indices where links[index].isToBeOpened {
            links[index].isToBeOpened = false
            try open(index, poller: &poller)
            machine.connected(index, now: now)
        }
        if machine.hasActions { try carryOut(poller: &poller, now: now) }
    }

    private func open(_ index: Int, poller: inout Poller) throws(ZeroMQError) {
        let socket = try Socket(.dealer, in: context)
        try socket.applyDefaults(frameLimit: frameByteCount, memoryLimit: PushLinks.queueByteCount)
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
