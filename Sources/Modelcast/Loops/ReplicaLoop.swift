import Logging
import ModelRecord
import ModelStore
import ModelSync

/// The socket thread of a subscriber or relay. It owns the connections and drives the state machine, which is the only
/// writer of the cache.
struct ReplicaLoop: ~Copyable {
    /// The state machine: a replica for a subscriber that cannot be asked, a relay for all others.
    enum Machine {
        case replica(Replica)
        case relay(RelayMachine, any ServingEnd)

        /// The replica of the machine, which listens.
        var replica: Replica {
            switch self {
            case .replica(let replica): replica
            case .relay(let relay, _): relay.replica
            }
        }

        fileprivate var taker: any ListeningMachine {
            switch self {
            case .replica(let replica): replica
            case .relay(let relay, _): relay
            }
        }
    }

    /// The service around the loop, as far as the loop needs it.
    struct Host {
        var logger: Logger
        /// The service has been told to stop.
        var isStopped: () -> Bool
        /// Called with the time four times a second, and at once when the state of a sender has changed.
        var tell: (Moment) -> Void
        /// A task waits for what was applied just now, so the status is told at once.
        var isStatusAwaited: () -> Bool
        var pulse: LoopPulse
        /// What tasks want to have brought back, and what they want no more.
        var takeFetches: () -> FetchDesk.News = { FetchDesk.News() }
        /// Called with the number of a fetch and the models that exist.
        var fetched: (UInt64, [CellRecord]) -> Void = { _, _ in }
    }

    let machine: Machine
    let links: SenderLinks
    private let host: Host
    private let notices: NoticeLog
    let clock: ServiceClock
    private let isWatched: Bool
    /// Nil where the service has no store.
    let keeper: ReplicaKeeper?
    private var nextTick: UInt64 = 0
    private var nextStatus: UInt64 = 0
    /// The time before which no status is made: the status of very many streams takes long.
    private var statusPauseEnd: UInt64 = 0
    private var lastState: [ReplicaState] = []

    /// The longest time between two ticks of the machine while anything is under way.
    private static let tickMicroseconds: UInt64 = 5_000
    /// How many messages of answers are made before the streams have their turn.
    private static let answerBurst = 8
    /// The same limit in time, as one message may be long.
    private static let answerMicroseconds: UInt64 = 2_000
    private static let statusMicroseconds: UInt64 = 250_000
    /// The pause after a status, as a multiple of the time that making it took.
    private static let statusPauseFactor: UInt64 = 10

    init(machine: Machine, links: SenderLinks, host: Host, keeper: ReplicaKeeper?) {
        self.machine = machine
        self.links = links
        self.host = host
        notices = NoticeLog(host.logger, links.access)
        clock = links.thread.clock
        isWatched = links.thread.isWatched
        self.keeper = keeper
    }

    /// Listens and serves until the host says stop.
    consuming func run() throws {
        let (machine, links, host) = (machine, links, host)
        // Also after a failure: the last status must not say for ever that the copy is up to date.
        defer {
            let now = clock.now()
            for sender in links.senders { machine.taker.disconnected(sender, reason: "this process stopped", now: now) }
            host.tell(now)
        }
        while !host.isStopped() { try step() }
        try finish()
    }

    private mutating func step() throws {
        let now = clock.now()
        host.pulse.beat(now)
        // Without these copies the compiler fails on this function when it builds for the thread sanitizer.
        let (machine, links) = (machine, links)
        links.reviewGrants(taker: machine.taker, now: now)
        try links.reopen(now: now, taker: machine.taker)
        if now.uptimeMicroseconds >= nextTick {
            try links.lookForRefusals(taker: machine.taker, logger: host.logger, now: now)
            links.lookForReach(taker: machine.taker, logger: host.logger, now: now)
            machine.taker.tick(now: now)
            nextTick = now.uptimeMicroseconds + ReplicaLoop.tickMicroseconds
        }
        fetch(now: now)
        try carryOut(now: now)
        let hasMore = try makeAnswers(now: now)
        tellStatus(now: now)
        try links.thread.wait(timeout: .microseconds(hasMore || links.hasAnswered ? 0 : timeout(now: now)))
        try links.receive(taker: machine.taker) { now in try carryOut(now: now) }
        if case .relay(let relay, let sockets) = machine {
            try sockets.receive(
                subscribed: { relay.subscribed(to: $0, now: clock.now()) },
                requested: { request in
                    relay.receive(
                        request.decoded(relay.configuration.limits), from: request.peer, now: clock.now())
                })
            relay.countRefused(sockets.takeRefused(), now: clock.now())
        }
        let end = clock.now()
        try carryOut(now: end)
        try keep(now: end)
    }

    /// Passes on what tasks want to have brought back.
    private func fetch(now: Moment) {
        let news = host.takeFetches()
        for request in news.begun {
            machine.replica.fetch(request.ids, of: request.type, token: request.token, now: now)
        }
        for token in news.ended { machine.replica.cancelFetch(token) }
    }

    /// Makes and sends some messages of answers.
    /// - Returns: whether there may be more to do at once.
    private func makeAnswers(now: Moment) throws -> Bool {
        guard case .relay(let relay, let sockets) = machine, relay.hasAnswers || sockets.freight.isToBeLookedAt else {
            return false
        }
        let end = clock.now().uptimeMicroseconds + ReplicaLoop.answerMicroseconds
        for count in 0..<ReplicaLoop.answerBurst {
            guard count == 0 || clock.now().uptimeMicroseconds < end else { return true }
            switch relay.nextAnswer(after: sockets.freight.takeReleased(), now: now) {
            case .turn(var turn):
                let payload = turn.make()
                relay.finish(turn, now: now)
                if let payload { try reply(to: turn.peer, payload, relay, sockets) }
            case .cut(let peers): sockets.cut(peers)
            case .nothing: return relay.hasActions
            }
        }
        return true
    }

    private func reply(
        to peer: [UInt8], _ payload: [UInt8], _ relay: RelayMachine, _ sockets: any ServingEnd
    ) throws {
        // The peer is gone or does not read. Its requests are forgotten, and it will ask again.
        if try !sockets.reply(to: peer, sockets.freight.load(payload, for: peer)) { relay.disconnected(peer) }
    }

    /// Tells the store what has changed, and the relay which pushed batches are on disk.
    private func keep(now: Moment) throws {
        guard let keeper else { return }
        let ended = keeper.step(now: now)
        guard !ended.isEmpty, case .relay(let relay, _) = machine else { return }
        for (token, error) in ended {
            if let error {
                relay.persistFailed(token, reason: error.description, now: now)
            } else {
                relay.persisted(token, now: now)
            }
        }
        try carryOut(now: now)
    }

    private func timeout(now: Moment) -> UInt64 {
        let status = max(nextStatus, statusPauseEnd)
        var next = min(max(machine.taker.nextDeadline(now: now), nextTick), status, links.nextReopen ?? .max)
        if case .relay(_, let sockets) = machine { next = min(next, sockets.nextLook) }
        return next > now.uptimeMicroseconds ? next - now.uptimeMicroseconds : 0
    }

    func carryOut(now: Moment) throws {
        switch machine {
        case .replica(let replica):
            while replica.hasActions {
                for action in replica.takeActions() { try carryOut(action, now: now) }
            }
        case .relay(let relay, let sockets):
            while relay.hasActions {
                for action in relay.takeActions() {
                    switch action {
                    case .replica(let action): try carryOut(action, now: now)
                    case .publish(let topic, let payload): try sockets.stream?.publish(topic: topic.bytes, payload)
                    case .reply(let peer, let payload): try reply(to: peer, payload, relay, sockets)
                    case .persist(let token, let topic, let payload, let origin, let incarnation, let sequence):
                        keeper?.persist(
                            token, topic: topic, payload: payload, origin: origin, incarnation: incarnation,
                            sequence: sequence, now: now)
                    }
                }
            }
        }
    }

    private func carryOut(_ action: ReplicaAction, now: Moment) throws {
        if case .fetched(let token, let records) = action { return host.fetched(token, records) }
        if let notice = try links.carryOut(action, now: now, taker: machine.taker) { notices.log(notice, now: now) }
    }

    private mutating func tellStatus(now: Moment) {
        // The look runs after each message, so it allocates nothing where no status is due.
        let (replica, senders) = (machine.replica, links.senders)
        let isKnown = senders.elementsEqual(lastState) { replica.state(of: $0) == $1 }
        let isDue =
            (now.uptimeMicroseconds >= nextStatus || !isKnown || host.isStatusAwaited())
            && now.uptimeMicroseconds >= statusPauseEnd
        guard isDue || isWatched else { return }
        lastState = senders.map(replica.state(of:))
        host.tell(now)
        let end = clock.now().uptimeMicroseconds
        nextStatus = now.uptimeMicroseconds + ReplicaLoop.statusMicroseconds
        statusPauseEnd = end + (end - now.uptimeMicroseconds) * ReplicaLoop.statusPauseFactor
    }
}
