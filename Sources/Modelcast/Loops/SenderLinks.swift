import Logging
import ModelGrants
import ModelRecord
import ModelSync
import ModelWire

/// The connections of a subscriber or relay to all its senders. It opens them, reads them, and opens them again.
///
/// Belongs to the socket thread, as does the transport on which that thread waits.
final class SenderLinks {
    /// The settings of the connections.
    struct Configuration {
        var transport: Transport
        var frameByteCount: Int
        /// How many bytes may wait in the stream's queue of one sender before batches are lost.
        var queueByteCount: Int
        /// The first pause before a lost connection is opened again. It doubles up to `reconnectDelayMax`.
        var reconnectDelay: Duration
        var reconnectDelayMax: Duration
        /// Nil for connections without keys.
        var security: Security?
    }

    let thread: any TransportThread
    private let clock: ServiceClock
    private let configuration: Configuration
    private let settings: ConnectionSettings
    private var links: [SenderLink] = []
    /// The types that have to be signed, and by whom; nil where none has to be.
    private var rules: SignatureRules?
    /// Nil where nothing had to be signed yet.
    private var checker: SealChecker?
    /// The data topic that came last, and whether it has to be signed.
    private var recentTopic: (bytes: [UInt8], isSigned: Bool) = ([], false)
    /// The version of the grants that the senders are held to; nil before the first.
    private var version: UInt64?

    /// How many messages are taken from a connection before the others get their turn, and after what time no further
    /// ones are begun: a message may take milliseconds.
    private static let burst = 64
    private static let turnMicroseconds: UInt64 = 10_000
    /// How much of one sender the checker of seals has at a time.
    private static let (checkedCountMax, checkedByteCountMax) = (256, 8 << 20)

    init(_ thread: any TransportThread, configuration: Configuration) {
        self.thread = thread
        clock = thread.clock
        self.configuration = configuration
        settings = ConnectionSettings(
            frameByteCount: configuration.frameByteCount, queueByteCount: configuration.queueByteCount,
            linger: .milliseconds(200), security: configuration.security)
    }

    /// Adds a sender. ``reopen(now:taker:)`` opens its connection. Call it in the order of the senders' indices.
    func add(_ sender: SenderID, endpoint: String) {
        let control = ControlLink(
            to: endpoint, hasKeys: configuration.security != nil, transport: configuration.transport)
        links.append(SenderLink(sender: sender, control: control))
    }

    /// The grants to which senders are held; nil for none.
    var access: Access? { configuration.security?.access }

    /// The senders, in the order in which they were added.
    var senders: some Collection<SenderID> { links.lazy.map(\.sender) }

    /// When the next connection is to be opened; nil where all are open.
    var nextReopen: UInt64? { links.lazy.compactMap(\.control.openAt).min() }

    func close() {
        for link in links { link.close() }
        checker?.stop()
        checker = nil
    }

    /// Holds the senders to the grants that hold now: what the key of each may say. A sender that is granted something
    /// else than before is heard anew.
    func reviewGrants(taker: some ListeningMachine, now: Moment) {
        guard let security = configuration.security, let access = security.access, access.version != version else {
            return
        }
        let isFirst = version == nil
        version = access.version
        require(access.signatureRules, taker)
        for link in links {
            guard let key = security.serverKey(at: link.control.endpoint) else { continue }
            let grantee = access.grantee(of: key) ?? Grantee(name: key.z85, rights: Rights())
            // Limits bound clients, and not what a sender says; and a batch is held against its signature by itself.
            let (old, new) = (link.grantee?.rights.withoutSigningKeys, grantee.rights.withoutSigningKeys)
            guard link.grantee?.name != grantee.name || old != new else { continue }
            link.grantee = grantee
            taker.grant(grantee, to: link.sender)
            if !isFirst { taker.disconnected(link.sender, reason: "its key is granted something else now", now: now) }
        }
    }

    private func require(_ rules: SignatureRules?, _ taker: some ListeningMachine) {
        taker.require(rules)
        (self.rules, recentTopic) = (rules, ([], false))
        guard let rules else { return }
        checker?.replace(by: rules)
        let waker = thread.waker
        checker = checker ?? SealChecker(rules) { waker.wake() }
    }

    /// Opens the connections whose pause is over.
    func reopen(now: Moment, taker: some ListeningMachine) throws(ModelcastError) {
        for link in links where link.control.isDue(now: now) {
            try link.control.open(on: thread, settings, now: now)
            taker.connected(link.sender, now: now)
        }
    }

    /// Gives up connections whose other side refuses this one, or does not prove the expected key. They are opened
    /// again after a pause, as a transport need not retry a refused connection (libzmq notes, row 12).
    func lookForRefusals(taker: some ListeningMachine, logger: Logger, now: Moment) throws(ModelcastError) {
        for link in links {
            guard case .refused(let reason, let isNews)? = try link.control.look() else { continue }
            taker.disconnected(link.sender, reason: reason, now: now)
            guard isNews else { continue }
            logger.warning(
                "no trust between this process and a sender",
                metadata: ["sender": "\(link.control.endpoint)", "reason": "\(reason)"])
        }
    }

    /// Logs why no sender answers at an endpoint. The transport goes on trying by itself.
    func lookForReach(taker: some ListeningMachine, logger: Logger, now: Moment) {
        for link in links {
            guard let finding = link.control.lookForReach(now: now) else { continue }
            taker.unreachable(link.sender, reason: finding.reason, isAbsent: finding.isAbsence, now: now)
            guard finding.isNews else { continue }
            logger.warning(
                "a sender cannot be reached",
                metadata: ["sender": "\(link.control.endpoint)", "reason": "\(finding.reason)"])
        }
    }

    /// Hands the messages that have arrived to the taker, a burst from each connection.
    /// - Parameter carryOut: does what the taker wants done. It is called after each reply, so that credit leaves at
    ///   once.
    func receive(taker: some ListeningMachine, carryOut: (Moment) throws -> Void) throws {
        for link in links {
            if link.control.connection?.isReadable ?? false {
                var end: UInt64 = .max
                for _ in 0..<SenderLinks.burst {
                    // A reply may have led to the end of its connection.
                    guard let control = link.control.connection, try receiveReply(control, of: link.sender, taker)
                    else { break }
                    let now = clock.now()
                    try carryOut(now)
                    end = min(end, now.uptimeMicroseconds + SenderLinks.turnMicroseconds)
                    if now.uptimeMicroseconds >= end { break }
                }
            }
            try receiveStream(link, taker)
        }
        // The connection of such a sender would end each wait at once.
        if !hasAnswered, links.contains(where: isFull) { checker?.waitForFinished() }
        try deliverChecked(to: taker, carryOut: carryOut)
    }

    /// Messages have come out of the checker and wait for their turn: the next wait ends at once.
    var hasAnswered: Bool { links.contains { !$0.answered.isEmpty } }

    /// Receives a reply.
    /// - Returns: false when there was none.
    private func receiveReply(
        _ control: any RequestConnection, of sender: SenderID, _ taker: some ListeningMachine
    ) throws(ModelcastError) -> Bool {
        switch try control.receive({ taker.receiveControl(sender, $0, now: clock.now()) }) {
        case .nothing: return false
        case .reply: return true
        case .malformed:
            taker.countMalformed(sender, "a reply of several frames")
            return true
        }
    }

    private func receiveStream(_ link: SenderLink, _ taker: some ListeningMachine) throws(ModelcastError) {
        guard let stream = link.stream, !isFull(link) else { return }
        let sender = link.sender
        var end: UInt64 = .max
        /// Notes when a message was begun; returns whether another may be.
        func hasTime(_ now: Moment) -> Bool {
            end = min(end, now.uptimeMicroseconds + SenderLinks.turnMicroseconds)
            return now.uptimeMicroseconds < end
        }
        try stream.receive(atMost: SenderLinks.burst) { topic, payload in
            let now = clock.now()
            if let checker, goesThroughChecker(topic, of: link) {
                let message = SealChecker.Message(
                    sender: sender, connection: link.streamNumber, topic: topic.copied, payload: payload.copied)
                link.checked.count += 1
                link.checked.byteCount += payload.count
                checker.add(message)
                return hasTime(now) && !isFull(link)
            }
            taker.receiveStream(sender, topic: topic, payload: payload, verdict: nil, now: now)
            return hasTime(now)
        } malformed: { reason in
            taker.countMalformed(sender, reason)
            return hasTime(clock.now())
        }
    }

    // MARK: Seals

    /// The message is looked at by the checker, or goes behind one of the same sender that is.
    private func goesThroughChecker(_ topic: Span<UInt8>, of link: SenderLink) -> Bool {
        if link.checked.count > 0 { return true }
        guard let rules, topic.count > 0, topic[0] == 0x6D else { return false }
        if !topic.isEqual(to: recentTopic.bytes) {
            let bytes = topic.copied
            let isSigned = Topic(bytes: bytes).type.map { rules.requiresSignature(of: $0) } ?? false
            recentTopic = (bytes, isSigned)
        }
        return recentTopic.isSigned
    }

    /// The checker has enough of this sender.
    private func isFull(_ link: SenderLink) -> Bool {
        link.checked.count >= SenderLinks.checkedCountMax || link.checked.byteCount >= SenderLinks.checkedByteCountMax
    }

    /// Hands on what the checker has looked at, of each sender for as long as a turn lasts.
    private func deliverChecked(
        to taker: some ListeningMachine, carryOut: (Moment) throws -> Void
    ) throws {
        guard let checker else { return }
        for message in checker.takeFinished() { links[message.sender.index].answered.append(message) }
        for link in links where !link.answered.isEmpty {
            let end = clock.now().uptimeMicroseconds + SenderLinks.turnMicroseconds
            while let message = link.answered.popFirst() {
                link.checked.count -= 1
                link.checked.byteCount -= message.payload.count
                let now = clock.now()
                // Nothing comes over a connection that was given up.
                if message.connection == link.streamNumber {
                    taker.receiveStream(
                        message.sender, topic: message.topic.span, payload: message.payload.span,
                        verdict: message.verdict, now: now)
                }
                if now.uptimeMicroseconds >= end { break }
            }
            if link.answered.isEmpty { link.answered = [] }
            try carryOut(clock.now())
        }
    }

    // MARK: What a replica wants done

    /// Does what a replica wants done with its senders.
    /// - Returns: a notice, which the caller has to log; nil for all other actions.
    func carryOut(_ action: ReplicaAction, now: Moment, taker: some ListeningMachine) throws(ModelcastError) -> Notice?
    {
        switch action {
        case .connectStream(let sender, let endpoint): connectStream(sender, to: endpoint, now: now, taker: taker)
        case .subscribe(let sender, let prefix): try links[sender.index].stream?.subscribe(to: prefix)
        case .unsubscribe(let sender, let prefix): try links[sender.index].stream?.unsubscribe(from: prefix)
        case .request(let sender, let payload):
            // A request that finds no room is lost, and the replica asks again.
            try links[sender.index].control.connection?.send(payload)
        case .reconnect(let sender): reconnect(sender, now: now)
        case .notice(let notice): return notice
        case .fetched: preconditionFailure("the loop has taken it")
        case .forward: preconditionFailure("only a relay's replica hands batches on, and the relay takes them")
        }
        return nil
    }

    /// Connects the stream.
    private func connectStream(_ sender: SenderID, to endpoint: String, now: Moment, taker: some ListeningMachine) {
        let link = links[sender.index]
        do {
            try link.openStream(to: endpoint, on: thread, settings)
            link.pause.opened(at: now.uptimeMicroseconds)
        } catch {
            // The error quotes the endpoint that the sender has told.
            taker.disconnected(sender, reason: error.description.shown(), now: now)
        }
    }

    /// Closes both connections, and opens them again after a pause.
    private func reconnect(_ sender: SenderID, now: Moment) {
        let link = links[sender.index]
        link.close(
            openAt: link.pause.lost(
                at: now.uptimeMicroseconds, first: configuration.reconnectDelay,
                longest: configuration.reconnectDelayMax))
    }
}
