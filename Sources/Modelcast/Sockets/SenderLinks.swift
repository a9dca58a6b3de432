import Logging
import ModelRecord
import ModelSync
import ZeroMQ

/// The state machine that takes the messages of senders: a replica, or a relay around one. Belongs to one thread.
protocol StreamTaker: AnyObject {
    func connected(_ sender: SenderID, now: Moment)
    func disconnected(_ sender: SenderID, reason: String, now: Moment)
    func receiveControl(_ sender: SenderID, _ payload: Span<UInt8>, now: Moment)
    func receiveStream(_ sender: SenderID, topic: Span<UInt8>, payload: Span<UInt8>, now: Moment)
    func countMalformed(_ sender: SenderID, _ reason: String)
    func unreachable(_ sender: SenderID, reason: String)
    func tick(now: Moment)
    func nextDeadline(now: Moment) -> UInt64
}

extension Replica: StreamTaker {}

/// The connections of a subscriber or relay to all its senders. It opens them, reads them, and opens them again.
///
/// Belongs to the socket thread, and owns the poller on which that thread waits.
final class SenderLinks {
    /// The settings of the sockets.
    struct Configuration {
        var frameByteCount: Int
        /// How many bytes may wait in the stream's queue of one sender before batches are lost.
        var queueByteCount: Int
        /// The first pause before a lost connection is opened again. It doubles up to `reconnectDelayMax`.
        var reconnectDelay: Duration
        var reconnectDelayMax: Duration
        /// Nil for connections without keys.
        var security: Security?
    }

    var poller: Poller
    private let context: Context
    private let configuration: Configuration
    private var links: [SenderLink] = []
    private var topic = Message()
    private var payload = Message()

    /// How many messages are taken from a socket before the others get their turn, and after what time no further ones
    /// are begun: a message may take milliseconds.
    private static let burst = 64
    private static let turnMicroseconds: UInt64 = 10_000

    init(context: Context, configuration: Configuration) throws(ZeroMQError) {
        poller = try Poller()
        self.context = context
        self.configuration = configuration
    }

    /// Adds a sender. ``reopen(now:taker:)`` opens its connection. Call it in the order of the senders' indices.
    func add(_ sender: SenderID, endpoint: String) {
        links.append(SenderLink(sender: sender, endpoint: endpoint, hasKeys: configuration.security != nil))
    }

    /// The senders, in the order in which they were added.
    var senders: some Collection<SenderID> { links.lazy.map(\.sender) }

    /// When the next connection is to be opened; nil where all are open.
    var nextReopen: UInt64? { links.lazy.compactMap(\.reopenAt).min() }

    func close() {
        for link in links { link.close() }
    }

    /// Opens the connections whose pause is over.
    func reopen(now: Moment, taker: some StreamTaker) throws(ZeroMQError) {
        for link in links {
            guard let at = link.reopenAt, now.uptimeMicroseconds >= at else { continue }
            link.reopenAt = nil
            try link.openControl(in: context, poller: &poller, configuration: configuration, now: now)
            taker.connected(link.sender, now: now)
        }
    }

    /// Gives up connections whose other side refuses this one, or does not prove the expected key. They are opened
    /// again after a pause, as libzmq does not retry a refused connection (libzmq notes, row 12).
    func lookForRefusals(taker: some StreamTaker, logger: Logger, now: Moment) throws(ZeroMQError) {
        for link in links {
            guard let (reason, isNews) = try link.lookForRefusal() else { continue }
            taker.disconnected(link.sender, reason: reason, now: now)
            guard isNews else { continue }
            logger.warning(
                "no trust between this process and a sender",
                metadata: ["sender": "\(link.endpoint)", "reason": "\(reason)"])
        }
    }

    /// Logs why no sender answers at an endpoint. libzmq goes on trying by itself.
    func lookForReach(taker: some StreamTaker, logger: Logger, now: Moment) {
        for link in links {
            guard let finding = link.lookForReach(now: now) else { continue }
            taker.unreachable(link.sender, reason: finding.reason)
            guard finding.isNews else { continue }
            logger.warning(
                "a sender cannot be reached",
                metadata: ["sender": "\(link.endpoint)", "reason": "\(finding.reason)"])
        }
    }

    /// Hands the messages that have arrived to the taker, a burst from each socket.
    /// - Parameter carryOut: does what the taker wants done. It is called after each reply, so that credit leaves at
    ///   once.
    func receive(taker: some StreamTaker, carryOut: (Moment) throws -> Void) throws {
        for link in links {
            if let token = link.controlToken, poller.isReadable(token) {
                var end: UInt64 = .max
                for _ in 0..<SenderLinks.burst {
                    guard try receiveReply(link, taker) else { break }
                    let now = Clocks.now()
                    try carryOut(now)
                    end = min(end, now.uptimeMicroseconds + SenderLinks.turnMicroseconds)
                    if now.uptimeMicroseconds >= end { break }
                }
            }
            if let token = link.streamToken, poller.isReadable(token) {
                var end: UInt64 = .max
                for _ in 0..<SenderLinks.burst {
                    guard let time = try receiveMessage(link, taker) else { break }
                    end = min(end, time + SenderLinks.turnMicroseconds)
                    if time >= end { break }
                }
            }
        }
    }

    /// Receives a reply, which is one frame. The rest of a longer message is skipped.
    /// - Returns: false when there was none.
    private func receiveReply(_ link: SenderLink, _ taker: some StreamTaker) throws(ZeroMQError) -> Bool {
        guard try link.receiveControl(into: &payload) else { return false }
        guard payload.hasMore else {
            payload.withSpan { taker.receiveControl(link.sender, $0, now: Clocks.now()) }
            return true
        }
        while payload.hasMore, try link.receiveControl(into: &payload) {}
        taker.countMalformed(link.sender, "a reply of several frames")
        return true
    }

    /// Receives a message of the stream, which is two frames.
    /// - Returns: when its processing began, on the clock of ``Moment/uptimeMicroseconds``; nil when there was none.
    private func receiveMessage(_ link: SenderLink, _ taker: some StreamTaker) throws(ZeroMQError) -> UInt64? {
        guard try link.receiveStream(into: &topic) else { return nil }
        let now = Clocks.now()
        guard topic.hasMore, try link.receiveStream(into: &payload) else {
            taker.countMalformed(link.sender, "a stream message of one frame")
            return now.uptimeMicroseconds
        }
        guard payload.hasMore else {
            topic.withSpan { topic in
                payload.withSpan { taker.receiveStream(link.sender, topic: topic, payload: $0, now: now) }
            }
            return now.uptimeMicroseconds
        }
        while payload.hasMore, try link.receiveStream(into: &payload) {}
        taker.countMalformed(link.sender, "a stream message of more than two frames")
        return now.uptimeMicroseconds
    }

    // MARK: What a replica wants done

    /// Does what a replica wants done with its senders.
    /// - Returns: a notice, which the caller has to log; nil for all other actions.
    func carryOut(_ action: ReplicaAction, now: Moment, taker: some StreamTaker) throws(ZeroMQError) -> Notice? {
        switch action {
        case .connectStream(let sender, let endpoint): connectStream(sender, to: endpoint, now: now, taker: taker)
        case .subscribe(let sender, let prefix): try links[sender.index].subscribe(to: prefix)
        case .unsubscribe(let sender, let prefix): try links[sender.index].unsubscribe(from: prefix)
        case .request(let sender, let payload): try links[sender.index].request(payload)
        case .reconnect(let sender): reconnect(sender, now: now)
        case .notice(let notice): return notice
        case .forward: preconditionFailure("only a relay's replica hands batches on, and the relay takes them")
        }
        return nil
    }

    /// Connects the stream, where `*` as host means the host of the control connection.
    private func connectStream(_ sender: SenderID, to endpoint: String, now: Moment, taker: some StreamTaker) {
        let link = links[sender.index]
        let resolved = SenderEndpoints.resolve(stream: endpoint, control: link.endpoint)
        do {
            try link.openStream(to: resolved, in: context, poller: &poller, configuration: configuration)
            link.pause.opened(at: now.uptimeMicroseconds)
        } catch {
            // The error quotes the endpoint that the sender has told.
            taker.disconnected(sender, reason: error.description.shown(), now: now)
        }
    }

    /// Closes both connections, and opens them again after a pause.
    private func reconnect(_ sender: SenderID, now: Moment) {
        let link = links[sender.index]
        link.close()
        link.reopenAt = link.pause.lost(
            at: now.uptimeMicroseconds, first: configuration.reconnectDelay, longest: configuration.reconnectDelayMax)
    }
}
