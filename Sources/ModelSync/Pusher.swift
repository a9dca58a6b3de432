public import ModelWire

/// Brings batches to relays and does not rest until they are acknowledged, as a state machine: for jobs that are gone
/// before a replica could ask them for anything.
///
/// ```swift
/// let pusher = Pusher(configuration: PusherConfiguration())
/// let relay = pusher.addRelay()
/// for case .publish(let topic, let payload) in origin.takeActions() {
///     try pusher.push(topic: topic, payload: payload)
/// }
/// ```
/// Each batch goes to every relay, in the order of its topic, a window of them at a time. What is not acknowledged in
/// time is sent again, from there on; a relay that names another sequence as the next is taken at its word. It has no
/// socket, no clock and no thread: whoever owns it calls it from one thread at a time, passes the time in and does what
/// ``takeActions()`` returns.
public final class Pusher {
    public let configuration: PusherConfiguration

    /// A batch that somebody may still have to be sent.
    struct Batch: Sendable {
        let stream: ReplayRing.Stream
        let sequence: UInt64
        let payload: [UInt8]
    }

    /// Batches from the oldest that is kept on; positions count from the first that was ever pushed.
    private var batches = Fifo<Batch>()
    private var firstPosition = 0
    private var byteCount = 0
    private var relays: [RelaySession] = []
    private var decoder: BatchDecoder
    private var nextRID: UInt64 = 1
    private var actions: [PusherAction] = []

    public init(configuration: PusherConfiguration) {
        self.configuration = configuration
        decoder = BatchDecoder(limits: configuration.limits)
    }

    /// Adds a relay, before the first batch. Call ``connected(_:now:)`` when its control connection is open.
    /// - Returns: the number that stands for the relay: 0, 1, 2, …
    public func addRelay() -> Int {
        precondition(firstPosition == 0 && batches.isEmpty, "relays are added before the first batch")
        relays.append(RelaySession())
        return relays.count - 1
    }

    /// Takes a batch as an origin has made it for its stream. What is no batch on a data topic (heads, bye) is ignored.
    /// - Throws: `WireError` for a batch that cannot be read.
    public func push(topic: Topic, payload: [UInt8]) throws(WireError) {
        guard topic.type != nil else { return }
        try decoder.decode(payload.span)
        let stream = ReplayRing.Stream(origin: decoder.origin, incarnation: decoder.incarnation, topic: topic)
        batches.append(Batch(stream: stream, sequence: decoder.sequence, payload: payload))
        byteCount += payload.count
        for index in relays.indices { relays[index].states.append(.waiting) }
    }

    /// More should be pushed only after some of it was acknowledged.
    public var isFull: Bool { byteCount >= configuration.byteCountMax }

    /// Batches that are not delivered yet, as ``PusherConfiguration/Acknowledgement`` counts.
    public var unacknowledged: Int {
        let counts = relays.map { $0.unacknowledgedCount(total: firstPosition + batches.count) }
        return (configuration.acknowledgement == .any ? counts.min() : counts.max()) ?? batches.count
    }

    /// Everything that was pushed is delivered.
    public var isDone: Bool { unacknowledged == 0 }

    /// Why not everything can be delivered any more: the relays that would have to acknowledge it refuse for good.
    public var failure: String? {
        let failures = relays.compactMap(\.failure)
        let isHopeless =
            configuration.acknowledgement == .any ? failures.count == relays.count : !failures.isEmpty
        return isHopeless && !isDone ? failures.first ?? "there is no relay to push to" : nil
    }

    /// How things stand with each relay.
    public func status(now: Moment) -> [PushStatus] {
        relays.map { $0.status(total: firstPosition + batches.count, now: now.uptimeMicroseconds) }
    }

    /// Hands over what there is to do, in order, and forgets it.
    public func takeActions() -> [PusherAction] {
        defer { actions = [] }
        return actions
    }

    /// There is something for ``takeActions()``.
    public var hasActions: Bool { !actions.isEmpty }

    /// The control connection to a relay has been opened.
    public func connected(_ relay: Int, now: Moment) {
        relays[relay].isConnected = true
        relays[relay].takeBack(from: 0)
        send(relay, now: now)
    }

    /// The connection to a relay is gone, as the runtime has noticed on its own.
    public func disconnected(_ relay: Int, reason: String, now: Moment) {
        relays[relay].lastError = reason
        reconnect(relay, now: now)
    }

    /// Sends what may be sent and takes back what was not answered in time. Call it every few milliseconds.
    public func tick(now: Moment) {
        let timeout = configuration.requestTimeout.wholeMicroseconds
        for relay in relays.indices where relays[relay].failure == nil && relays[relay].isConnected {
            if let sent = relays[relay].oldestSent, now.uptimeMicroseconds >= sent + timeout {
                relays[relay].lastError = "no answer for \(timeout / 1000) ms"
                reconnect(relay, now: now)
            } else {
                send(relay, now: now)
            }
        }
    }

    /// Takes one reply from a relay. Any bytes are acceptable.
    public func receive(_ relay: Int, _ payload: Span<UInt8>, now: Moment) {
        guard let reply = try? ControlReply(decoding: payload, limits: configuration.limits) else { return }
        switch reply {
        case .accepted(let rid):
            relays[relay].accept(rid)
            letGo()
        case .error(let rid, let code, let message):
            guard let position = relays[relay].outstanding[rid] else { return }
            refused(relay, position, code, message, now: now)
        case .welcome, .records, .complete, .frame, .gone, .digests, .unknown: return
        }
        send(relay, now: now)
    }

    private func refused(
        _ relay: Int, _ position: Int, _ code: ControlErrorCode, _ message: String, now: Moment
    ) {
        relays[relay].lastError = "\(code.rawValue): \(message)"
        if let expected = PushArrival.expectedSequence(in: message) {
            return goTo(expected, relay, position, now: now)
        }
        switch code {
        case .busy, .internalError:
            relays[relay].takeBack(from: position)
            pause(relay, now: now)
        default:
            fail(relay, "\(code.rawValue): \(message)")
        }
    }

    /// The relay names the sequence that it expects: from there on everything of the stream is sent again.
    private func goTo(_ expected: UInt64, _ relay: Int, _ position: Int, now: Moment) {
        guard position >= firstPosition else { return }
        let refused = batches[position - firstPosition]
        let target = (0..<batches.count).first {
            batches[$0].stream == refused.stream && batches[$0].sequence >= expected
        }
        guard let target, batches[target].sequence == expected, expected < refused.sequence else {
            return fail(
                relay,
                "\(message(refused)) but the relay expects \(expected): it has lost what it had acknowledged; "
                    + "run the job again"
            )
        }
        relays[relay].takeBack(
            from: firstPosition + target,
            evenAcknowledged: { [self] position in
                position >= firstPosition && batches[position - firstPosition].stream == refused.stream
            })
        pause(relay, now: now)
    }

    private func message(_ batch: Batch) -> String {
        "batch \(batch.sequence) of \(batch.stream.topic) was to be next"
    }

    private func fail(_ relay: Int, _ reason: String) {
        relays[relay].failure = reason
        relays[relay].outstanding = [:]
        actions.append(.notice(Notice(kind: .pushFailed, metadata: ["relay": "\(relay)", "reason": reason])))
        letGo()
    }

    private func pause(_ relay: Int, now: Moment) {
        relays[relay].pause(now: now.uptimeMicroseconds, configuration)
    }

    private func reconnect(_ relay: Int, now: Moment) {
        guard relays[relay].failure == nil else { return }
        relays[relay].takeBack(from: 0)
        relays[relay].isConnected = false
        pause(relay, now: now)
        actions.append(.reconnect(relay: relay))
    }

    /// Fills the window, the oldest batch first.
    private func send(_ relay: Int, now: Moment) {
        guard relays[relay].mayPush(at: now.uptimeMicroseconds) else { return }
        while relays[relay].outstanding.count < configuration.windowCount,
            let position = relays[relay].nextWaiting(firstPosition, end: firstPosition + batches.count)
        {
            let rid = nextRID
            nextRID += 1
            relays[relay].sent(position, rid: rid, at: now.uptimeMicroseconds)
            let batch = batches[position - firstPosition]
            let request = ControlRequest.push(rid: rid, topic: batch.stream.topic, batch: batch.payload)
            actions.append(.request(relay: relay, payload: request.encode()))
        }
    }

    /// There is no room for what a relay has not acknowledged while another has: it is left behind.
    private func giveUpLaggards() {
        let lagging = relays.indices.filter { relays[$0].failure == nil && !relays[$0].isAcknowledged(firstPosition) }
        let isServed = relays.contains { $0.failure == nil && $0.isAcknowledged(firstPosition) }
        guard isServed else { return }
        for relay in lagging {
            let reason = "fell more than \(configuration.byteCountMax) bytes behind another relay"
            relays[relay].failure = reason
            relays[relay].outstanding = [:]
            actions.append(.notice(Notice(kind: .pushFailed, metadata: ["relay": "\(relay)", "reason": reason])))
        }
    }

    /// Lets go of the oldest batches that no relay needs any more.
    private func letGo() {
        if isFull, configuration.acknowledgement == .any { giveUpLaggards() }
        while !batches.isEmpty, relays.allSatisfy({ $0.failure != nil || $0.isAcknowledged(firstPosition) }),
            relays.contains(where: { $0.isAcknowledged(firstPosition) })
        {
            byteCount -= batches.removeFirst()?.payload.count ?? 0
            firstPosition += 1
            for index in relays.indices { relays[index].forgetFirst() }
        }
    }
}

extension Pusher {
    /// The first bound or sum that does not hold; for tests and the simulator.
    package func brokenInvariant() -> String? {
        let sum = (0..<batches.count).reduce(0) { $0 + batches[$1].payload.count }
        if sum != byteCount { return "kept batches count \(byteCount) bytes and are \(sum)" }
        for relay in relays {
            if relay.states.count != batches.count { return "a relay's states are not those of the kept batches" }
            if relay.outstanding.count > configuration.windowCount { return "more batches are on their way than may" }
        }
        return nil
    }
}
