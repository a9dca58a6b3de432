import Logging
import ModelSync
import ModelWire

/// A publisher's connections to the relays that it pushes to, and the state machine that pushes until everything is
/// acknowledged. Belongs to the socket thread.
final class PushLinks {
    let machine: Pusher
    private let thread: any TransportThread
    private let settings: ConnectionSettings
    private let logger: Logger
    private let notices: NoticeLog
    private var links: [Link] = []
    private var lacking: [(type: String, ids: [String])] = []
    private var refusals: [ClockRefusal] = []
    /// The incarnation whose former writes the relays are compared with.
    private(set) var comparedIncarnation: UInt64 = 0

    /// How many replies are taken from a connection before the others get their turn.
    private static let burst = 256
    /// How many bytes may wait to be sent to one relay. The window keeps it far below.
    private static let queueByteCount = 256 << 20

    /// The connection to one relay.
    private struct Link {
        let control: ControlLink
        /// How often the connection was refused in a row.
        var refusalCount = 0
    }

    /// - Parameter configuration: names at least one relay.
    init(_ configuration: PublisherConfiguration, on thread: any TransportThread, logger: Logger) {
        machine = Pusher(
            configuration: PusherConfiguration(
                acknowledgement: configuration.acknowledgement, byteCountMax: configuration.outboxByteCount,
                limits: configuration.limits))
        self.thread = thread
        self.logger = logger
        notices = NoticeLog(logger, configuration.security?.access)
        settings = ConnectionSettings(
            frameByteCount: configuration.limits.frameByteCount, queueByteCount: PushLinks.queueByteCount,
            greetings: .always, security: configuration.security)
        for endpoint in configuration.relays {
            _ = machine.addRelay(endpoint)
            let control = ControlLink(
                to: endpoint, hasKeys: configuration.security != nil, transport: configuration.transport)
            links.append(Link(control: control))
        }
    }

    /// Begins to compare each relay with the writes of earlier starts. Does nothing for a start that has been compared.
    func compare(_ former: FormerWrites) {
        guard former.incarnation != comparedIncarnation else { return }
        comparedIncarnation = former.incarnation
        machine.compare(former)
    }

    /// The models that some relays lack, by type. The origin has to send them again.
    func takeLacking() -> [(type: String, ids: [String])] {
        defer { lacking = [] }
        return lacking
    }

    /// The batches that relays refused for their stamps, which the origin has to judge.
    func takeRefusals() -> [ClockRefusal] {
        defer { refusals = [] }
        return refusals
    }

    /// Hands a message of the stream to the pusher. It pushes batches only.
    func push(_ topic: Topic, _ payload: [UInt8]) {
        do {
            try machine.push(topic: topic, payload: payload)
        } catch {
            preconditionFailure("an origin has made a batch that cannot be read: \(error)")
        }
    }

    /// Does what is due, and takes the replies that have arrived.
    func step(now: Moment) throws(ModelcastError) {
        for (index, link) in links.enumerated() {
            guard let connection = link.control.connection, connection.isReadable else { continue }
            try receive(index, connection, now: now)
        }
        try lookForRefusals(now: now)
        lookForReach(now: now)
        machine.tick(now: now)
        try carryOut(now: now)
    }

    /// The pause before a connection is opened again, in microseconds. Only refusals need one, as a transport
    /// pauses by itself between attempts.
    private static func pause(after refusals: Int) -> UInt64 {
        refusals == 0 ? 0 : min(50_000 << UInt64(min(refusals - 1, 10)), 2_000_000)
    }

    /// Gives up connections whose other side refuses this one, or does not prove the expected key.
    private func lookForRefusals(now: Moment) throws(ModelcastError) {
        for (index, link) in links.enumerated() {
            switch try link.control.look() {
            case nil: continue
            case .greeted:
                links[index].refusalCount = 0
                machine.reached(index, unless: nil)
            case .lost:
                // The relay may have been started anew, so its models are compared again after the next greeting.
                machine.disconnected(index, reason: "the connection broke off", now: now)
            case .refused(let reason, let isNews):
                links[index].refusalCount += 1
                machine.disconnected(index, reason: reason, now: now)
                guard isNews else { continue }
                logger.warning(
                    "no trust between this process and a relay",
                    metadata: ["relay": "\(link.control.endpoint)", "reason": "\(reason)"])
            }
        }
    }

    /// Logs why no relay answers at an endpoint. The transport goes on trying by itself.
    private func lookForReach(now: Moment) {
        for (index, link) in links.enumerated() {
            guard let finding = link.control.lookForReach(now: now) else { continue }
            machine.reached(index, unless: finding.reason)
            guard finding.isNews else { continue }
            logger.warning(
                "a relay cannot be reached",
                metadata: ["relay": "\(link.control.endpoint)", "reason": "\(finding.reason)"])
        }
    }

    /// Does what the pusher wants done: opens connections, sends requests, logs.
    private func carryOut(now: Moment) throws(ModelcastError) {
        for action in machine.takeActions() {
            switch action {
            case .request(let relay, let payload): try links[relay].control.connection?.send(payload)
            case .reconnect(let relay):
                let pause = PushLinks.pause(after: links[relay].refusalCount)
                links[relay].control.close(openAt: now.uptimeMicroseconds + pause)
            case .clockRefused(let refusal): refusals.append(refusal)
            case .sendAgain(let type, let ids): lacking.append((type, ids))
            case .notice(let notice): notices.log(notice, now: now)
            }
        }
        for (index, link) in links.enumerated() where link.control.isDue(now: now) {
            try link.control.open(on: thread, settings, now: now)
            machine.connected(index, now: now)
        }
        if machine.hasActions { try carryOut(now: now) }
    }

    private func receive(
        _ index: Int, _ connection: any RequestConnection, now: Moment
    ) throws(ModelcastError) {
        for _ in 0..<PushLinks.burst {
            // A message that is no reply by its form is skipped.
            if case .nothing = try connection.receive({ machine.receive(index, $0, now: now) }) { return }
        }
    }
}
