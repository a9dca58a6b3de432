import ModelCache
import ModelRecord
public import ModelWire

/// Pushes batches to relays until they are acknowledged, as a state machine. For jobs that end before a replica could
/// ask them for anything.
///
/// ```swift
/// let pusher = Pusher(configuration: PusherConfiguration())
/// let relay = pusher.addRelay()
/// for case .publish(let topic, let payload) in origin.takeActions() {
///     try pusher.push(topic: topic, payload: payload)
/// }
/// ```
/// Each batch goes to every relay, in the order of its topic, with a window of batches on their way. Where an answer
/// takes too long, the connection is opened anew, and what is not acknowledged is sent again; where a relay expects
/// another sequence, the pusher goes back to that. A pusher has no socket, no clock and no thread: its owner calls it
/// from one thread at a time, passes the time in and does what ``takeActions()`` returns.
public final class Pusher {
    /// How batches are pushed.
    public let configuration: PusherConfiguration

    /// A batch that may still have to be sent to a relay.
    struct KeptBatch: Sendable {
        let stream: ReplayRing.Stream
        let sequence: UInt64
        let lastStamp: Stamp
        let payload: [UInt8]
    }

    /// The batches that are kept, in order. Positions count from the first batch that was ever pushed.
    private var batches = Fifo<KeptBatch>()
    private(set) var firstPosition = 0
    private(set) var byteCount = 0
    var relays: [RelaySession] = []
    var decoder: BatchDecoder
    private var nextRID: UInt64 = 1
    var actions: [PusherAction] = []
    /// The starts of the origin whose batches are not pushed any more.
    private var voidIncarnations: Set<UInt64> = []
    /// The greatest stamp that a relay has acknowledged.
    private var takenStamp: Stamp = 0
    /// The former writes that are compared with each relay; nil where there are none.
    var former: FormerWrites?
    /// The models that some relay lacked, for as long as the batch that carries one is kept.
    var sentAgain: [ModelKey: SentAgain] = [:]
    /// The same models in the order of their batches.
    var sentAgainOrder = Fifo<(position: Int, model: ModelKey)>()
    /// The models that the origin cannot send again, and why.
    var unsendable: [ModelKey: String] = [:]

    /// A pusher without relays and batches.
    public init(configuration: PusherConfiguration) {
        self.configuration = configuration
        decoder = BatchDecoder(limits: configuration.limits)
    }

    /// Adds a relay, before the first batch. Call ``connected(_:now:)`` when its control connection is open.
    /// - Parameter name: a name for the relay in notices, such as its endpoint; its number where it has none.
    /// - Returns: the number that stands for the relay: 0, 1, 2, …
    public func addRelay(_ name: String? = nil) -> Int {
        precondition(firstPosition == 0 && batches.isEmpty, "relays are added before the first batch")
        relays.append(RelaySession(name: name ?? "\(relays.count)"))
        return relays.count - 1
    }

    /// Takes a batch as an origin has made it for its stream. A message that is no batch on a data topic (heads, bye)
    /// is ignored, and so is a batch of a start that was given up.
    /// - Throws: `WireError` for a batch that cannot be read.
    public func push(topic: Topic, payload: [UInt8]) throws(WireError) {
        guard let type = topic.type else { return }
        try decoder.decode(payload.span)
        guard !voidIncarnations.contains(decoder.incarnation) else { return }
        let stream = ReplayRing.Stream(origin: decoder.origin, incarnation: decoder.incarnation, topic: topic)
        noteSentAgain(payload.span, type: type, position: firstPosition + batches.count)
        batches.append(
            KeptBatch(
                stream: stream, sequence: decoder.sequence, lastStamp: decoder.lastStamp, payload: payload))
        byteCount += payload.count
        for index in relays.indices { relays[index].add(byteCount: payload.count) }
    }

    /// Whether the pusher keeps as many bytes as it may: more should be pushed only after some were acknowledged.
    public var isFull: Bool { byteCount >= configuration.byteCountMax }

    /// How many batches are not delivered yet, as ``PusherConfiguration/Acknowledgement`` counts.
    public var unacknowledged: Int {
        let counts = relays.map { $0.unacknowledgedCount(total: firstPosition + batches.count) }
        return (configuration.acknowledgement == .any ? counts.min() : counts.max()) ?? batches.count
    }

    /// Whether everything that was pushed is delivered, and all that earlier starts have written as well.
    public var isDone: Bool {
        guard !relays.isEmpty else { return batches.isEmpty }
        let count = relays.count { $0.isCompared && $0.unacknowledgedCount(total: firstPosition + batches.count) == 0 }
        return !isAsking && (configuration.acknowledgement == .any ? count > 0 : count == relays.count)
    }

    /// A model that a relay lacks was asked for, and is in no batch yet.
    var isAsking: Bool { actions.contains { if case .sendAgain = $0 { true } else { false } } }

    /// Why not everything can be delivered any more, because the relays that have to acknowledge it have failed; nil
    /// while it can.
    public var failure: String? {
        let failures = relays.compactMap { relay in
            // The models that can be brought to the relay are brought first.
            let isIdle = relay.unacknowledgedCount(total: firstPosition + batches.count) == 0
            return relay.failure ?? (isIdle ? relay.comparison?.finalFailure : nil)
        }
        let isHopeless =
            configuration.acknowledgement == .any ? failures.count == relays.count : !failures.isEmpty
        return isHopeless && !isDone ? failures.first ?? "there is no relay to push to" : nil
    }

    /// The status of each relay, in the order in which relays were added.
    public func status(now: Moment) -> [PushStatus] {
        relays.map { $0.status(total: firstPosition + batches.count, now: now.uptimeMicroseconds) }
    }

    /// Returns the pending actions, in order, and clears them.
    public func takeActions() -> [PusherAction] {
        defer { actions = [] }
        return actions
    }

    /// Whether ``takeActions()`` has anything to return.
    public var hasActions: Bool { !actions.isEmpty }

    /// Takes note that the control connection to a relay has been opened, and begins to push.
    public func connected(_ relay: Int, now: Moment) {
        relays[relay].isConnected = true
        relays[relay].takeBack(from: 0)
        compareAnew(relay)
        send(relay, now: now)
    }

    /// Takes note that the connection to a relay is gone, as the runtime has found out.
    public func disconnected(_ relay: Int, reason: String, now: Moment) {
        relays[relay].lastError = reason
        reconnect(relay, now: now)
    }

    /// Takes note that nobody answers at the endpoint of a relay, as the runtime has found out, with the reason; or,
    /// with nil, that somebody does.
    public func reached(_ relay: Int, unless reason: String?) {
        relays[relay].isUnreachable = reason != nil
        if let reason { relays[relay].lastError = reason }
    }

    /// Sends what may be sent, and opens a connection anew on which a request was not answered in time. Call it every
    /// few milliseconds.
    public func tick(now: Moment) {
        let timeout = configuration.requestTimeout.wholeMicroseconds
        for relay in relays.indices where relays[relay].failure == nil && relays[relay].isConnected {
            if let sent = relays[relay].oldestSent, now.uptimeMicroseconds >= sent + timeout {
                if !relays[relay].isUnreachable { relays[relay].lastError = "no answer for \(timeout / 1000) ms" }
                reconnect(relay, now: now)
            } else {
                send(relay, now: now)
            }
        }
    }

    /// Takes one reply from a relay. Any bytes are acceptable.
    public func receive(_ relay: Int, _ payload: Span<UInt8>, now: Moment) {
        guard let reply = try? ControlReply(decoding: payload, limits: configuration.limits) else { return }
        if !compare(relay, reply, now: now) {
            switch reply {
            case .accepted(let rid):
                if let position = relays[relay].accept(rid) {
                    let batch = batches[position - firstPosition]
                    relays[relay].unacknowledgedByteCount -= batch.payload.count
                    takenStamp = max(takenStamp, batch.lastStamp)
                }
                letGo()
            case .error(let rid, let code, let message):
                guard let position = relays[relay].outstanding[rid] else { return }
                refused(relay, position, code, message, now: now)
            case .welcome, .records, .part, .evicted, .complete, .frame, .gone, .digests, .unknown: return
            }
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
        case .limit where PushArrival.isFuture(message):
            relays[relay].takeBack(from: position)
            pause(relay, now: now)
            actions.append(
                .clockRefused(
                    ClockRefusal(
                        relay: relay, incarnation: batches[position - firstPosition].stream.incarnation,
                        reason: "\(code.rawValue): \(message)", taken: takenStamp)))
        default:
            fail(relay, "\(code.rawValue): \(message)")
        }
    }

    /// Goes back to the sequence that the relay expects: from there on everything of the stream is sent again.
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
        // The relay has lost what it held of earlier starts as well.
        compareAnew(relay)
        relays[relay].takeBack(
            from: firstPosition + target,
            evenAcknowledged: { [self] position in
                guard position >= firstPosition else { return nil }
                let batch = batches[position - firstPosition]
                return batch.stream == refused.stream ? batch.payload.count : nil
            })
        pause(relay, now: now)
    }

    /// Gives up the batches of a start whose stamps nobody took. The origin has started anew; which of its earlier
    /// writes a relay lacks shows when it is compared.
    /// - Parameter incarnation: the start that was given up.
    public func beginAnew(giving incarnation: UInt64) {
        guard voidIncarnations.insert(incarnation).inserted else { return }
        for relay in relays.indices { relays[relay].void(through: firstPosition + batches.count) }
        firstPosition += batches.count
        batches = Fifo()
        byteCount = 0
        sentAgain = [:]
        sentAgainOrder = Fifo()
        unsendable = [:]
    }

    /// Some relay was given up: it has lost what it had acknowledged, fell too far behind, or refuses what is pushed.
    public var hasGivenUp: Bool { relays.contains { $0.failure != nil } }

    /// Tries the relays again that were given up, once the origin has started anew: see ``beginAnew(giving:)``.
    public func tryAllAgain() {
        for relay in relays.indices where relays[relay].failure != nil {
            relays[relay].failure = nil
            relays[relay].isConnected = false
            actions.append(.reconnect(relay: relay))
        }
    }

    /// Goes on although a relay has refused a batch for its stamp, because the origin goes on as it was. The batch is
    /// pushed again after the pause that has begun, as either clock may be right by then. Logged once until the relay
    /// takes a batch.
    public func tryAgain(_ refusal: ClockRefusal) {
        guard relays[refusal.relay].failure == nil, !relays[refusal.relay].isClockTold,
            !voidIncarnations.contains(refusal.incarnation)
        else { return }
        relays[refusal.relay].isClockTold = true
        let advice = "set the clocks right; until then it is tried again every few seconds"
        tellFailure(of: refusal.relay, refusal.reason, ["advice": advice])
    }

    private func message(_ batch: KeptBatch) -> String {
        "batch \(batch.sequence) of \(batch.stream.topic) was to be next"
    }

    func fail(_ relay: Int, _ reason: String) {
        relays[relay].failure = reason
        relays[relay].outstanding = [:]
        tellFailure(of: relay, reason)
        letGo()
    }

    /// Tells the log that a relay does not take what is pushed.
    func tellFailure(of relay: Int, _ reason: String, _ more: [String: String] = [:]) {
        let metadata = more.merging(["relay": relays[relay].name, "reason": reason]) { $1 }
        actions.append(.notice(Notice(kind: .pushFailed, metadata: metadata)))
    }

    func pause(_ relay: Int, now: Moment) {
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
            let rid = makeRID()
            relays[relay].sent(position, rid: rid, at: now.uptimeMicroseconds)
            let batch = batches[position - firstPosition]
            let request = ControlRequest.push(rid: rid, topic: batch.stream.topic, batch: batch.payload)
            actions.append(.request(relay: relay, payload: request.encode()))
        }
        askNext(relay, now: now)
    }

    func makeRID() -> UInt64 {
        defer { nextRID += 1 }
        return nextRID
    }

    /// Gives up the relays that have not acknowledged the oldest batch while another has: there is no room to keep more
    /// for them.
    private func giveUpLaggards() {
        let lagging = relays.indices.filter { relays[$0].failure == nil && !relays[$0].isAcknowledged(firstPosition) }
        let isServed = relays.contains { $0.failure == nil && $0.isAcknowledged(firstPosition) }
        guard isServed else { return }
        for relay in lagging {
            let reason = "fell more than \(configuration.byteCountMax) bytes behind another relay"
            relays[relay].failure = reason
            relays[relay].outstanding = [:]
            tellFailure(of: relay, reason)
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
        forgetSentAgain(isEmpty: batches.isEmpty)
    }
}

extension Pusher {
    /// The first bound or sum that does not hold; for tests and the simulator.
    package func brokenInvariant() -> String? {
        let sum = (0..<batches.count).reduce(0) { $0 + batches[$1].payload.count }
        let isForgetful = sentAgain.values.contains { $0.position.map { $0 < firstPosition } ?? false }
        if isForgetful { return "it is still known of batches that are not kept what they sent again" }
        if sum != byteCount { return "kept batches count \(byteCount) bytes and are \(sum)" }
        for relay in relays {
            if relay.states.count != batches.count { return "a relay's states are not those of the kept batches" }
            if relay.outstanding.count > configuration.windowCount { return "more batches are on their way than may" }
            let open = (0..<batches.count).reduce(0) {
                $0 + (relay.isAcknowledged(firstPosition + $1) ? 0 : batches[$1].payload.count)
            }
            if relay.failure == nil, relay.unacknowledgedByteCount != open {
                return "a relay's batches count \(relay.unacknowledgedByteCount) bytes and are \(open)"
            }
        }
        return nil
    }
}
