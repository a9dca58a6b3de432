import Logging
import ModelStore
import ModelSync
import ZeroMQ

extension ModelSync.Relay: StreamTaker {}

/// The socket thread of a subscriber or relay: owns its sockets and feeds its state machine, which is the one writer of
/// the cache.
struct ReplicaLoop: ~Copyable {
    /// What is fed: a subscriber that serves nobody is a replica, everything else is a relay.
    enum Machine {
        case replica(Replica)
        case relay(ModelSync.Relay, ServingSockets)

        /// The side that listens.
        var replica: Replica {
            switch self {
            case .replica(let replica): replica
            case .relay(let relay, _): relay.replica
            }
        }

        fileprivate var taker: any StreamTaker {
            switch self {
            case .replica(let replica): replica
            case .relay(let relay, _): relay
            }
        }
    }

    /// What the service around the loop is asked and told.
    struct Host {
        var logger: Logger
        /// The service has been told to stop.
        var isStopped: () -> Bool
        /// Told four times a second, and at once when the state towards a sender has changed.
        var tell: (Moment) -> Void
    }

    private let machine: Machine
    private let links: SenderLinks
    private let host: Host
    /// Nil where there is no store.
    private let keeper: ReplicaKeeper?
    private var nextTick: UInt64 = 0
    private var nextStatus: UInt64 = 0
    private var lastState: [ReplicaState] = []

    /// The machine ticks at least this often while anything is under way.
    private static let tickMicroseconds: UInt64 = 5_000
    private static let statusMicroseconds: UInt64 = 250_000

    init(machine: Machine, links: SenderLinks, host: Host, keeper: ReplicaKeeper?) {
        self.machine = machine
        self.links = links
        self.host = host
        self.keeper = keeper
    }

    /// Listens, and serves, until the host says stop.
    consuming func run() throws {
        while !host.isStopped() { try step() }
        if case .relay(let relay, _) = machine {
            let now = Clocks.now()
            relay.stop(now: now)
            try carryOut(now: now)
        }
        links.close()
        keeper?.finish(now: Clocks.now())
    }

    private mutating func step() throws {
        let now = Clocks.now()
        // Without these copies the compiler fails on this function when it builds for the thread sanitizer.
        let (machine, links) = (machine, links)
        try links.reopen(now: now, taker: machine.taker)
        if now.uptimeMicroseconds >= nextTick {
            try links.lookForRefusals(taker: machine.taker, logger: host.logger, now: now)
            machine.taker.tick(now: now)
            nextTick = now.uptimeMicroseconds + ReplicaLoop.tickMicroseconds
        }
        try carryOut(now: now)
        tellStatus(now: now)
        _ = try links.poller.wait(timeout: .microseconds(timeout(now: now)))
        try links.receive(taker: machine.taker) { now in try carryOut(now: now) }
        if case .relay(let relay, let sockets) = machine {
            try sockets.receive(
                poller: links.poller,
                subscribed: { relay.subscribed(to: $0, now: Clocks.now()) },
                requested: { peer, payload in relay.receive(payload.span, from: peer, now: Clocks.now()) })
            relay.countRefusedClients(sockets.takeRefusedCount())
        }
        let end = Clocks.now()
        try carryOut(now: end)
        try keep(now: end)
    }

    /// Tells the store what has changed, and the pushers what is on disk.
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
        let next = min(max(machine.taker.nextDeadline(now: now), nextTick), nextStatus, links.nextReopen ?? .max)
        return next > now.uptimeMicroseconds ? next - now.uptimeMicroseconds : 0
    }

    private func carryOut(now: Moment) throws {
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
                    case .publish(let topic, let payload): try sockets.publish(topic: topic.bytes, payload)
                    case .reply(let peer, let payload):
                        // Gone, or not reading: what it has asked for is forgotten, and it will ask again.
                        if try !sockets.reply(to: peer, payload) { relay.disconnected(peer) }
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
        if let notice = try links.carryOut(action, now: now, taker: machine.taker) { host.logger.log(notice) }
    }

    private mutating func tellStatus(now: Moment) {
        // Asked after each message: nothing is allocated where nothing is to be told.
        let (replica, senders) = (machine.replica, links.senders)
        let isKnown = senders.elementsEqual(lastState) { replica.state(of: $0) == $1 }
        guard now.uptimeMicroseconds >= nextStatus || !isKnown else { return }
        lastState = senders.map(replica.state(of:))
        nextStatus = now.uptimeMicroseconds + ReplicaLoop.statusMicroseconds
        host.tell(now)
    }
}
