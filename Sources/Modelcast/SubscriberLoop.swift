import Logging
import ModelCache
import ModelSync
import ZeroMQ

/// A subscriber's socket thread: owns a SUB and a DEALER per publisher, feeds the replica, and so is the one writer of
/// the cache.
struct SubscriberLoop: ~Copyable {
    private let subscriber: Subscriber
    private let context: Context
    private var poller: Poller
    private let replica: Replica
    private var links: [SenderLink] = []
    private var topic = Message()
    private var payload = Message()
    private var metrics: CounterMetrics
    private var nextTick: UInt64 = 0
    private var nextStatus: UInt64 = 0
    private var lastState: [ReplicaState] = []

    /// How many messages are taken from a socket before the others get their turn.
    private static let burst = 64
    /// The machine ticks at least this often while anything is under way.
    private static let tickMicroseconds: UInt64 = 5_000
    private static let statusMicroseconds: UInt64 = 250_000

    init(subscriber: Subscriber) throws {
        self.subscriber = subscriber
        let configuration = subscriber.configuration
        let context = try Context()
        let poller = try Poller()
        var generator = SystemRandomNumberGenerator()
        replica = Replica(
            configuration: ReplicaConfiguration(
                name: configuration.name, prefixes: configuration.prefixes, limits: configuration.limits,
                clockLeadMax: configuration.clockLeadMax, holeGrace: configuration.holeGrace),
            cache: subscriber.cache, seed: generator.next())
        for endpoint in configuration.publishers {
            links.append(SenderLink(sender: replica.addSender(), endpoint: endpoint))
        }
        metrics = CounterMetrics(label: "modelcast_subscriber", name: configuration.name)
        let waker = poller.waker
        subscriber.core.withLock { $0.waker = waker }
        self.context = context
        self.poller = poller
    }

    /// Listens until the subscriber is stopped.
    consuming func run() throws {
        subscriber.logger.info("subscriber is listening", metadata: ["subscriber": "\(subscriber.configuration.name)"])
        while !subscriber.core.withLock({ $0.isStopped }) { try step() }
        for link in links { link.close() }
        subscriber.logger.info("subscriber has stopped", metadata: ["subscriber": "\(subscriber.configuration.name)"])
    }

    private mutating func step() throws {
        var now = Clocks.now()
        try reopen(now: now)
        if now.uptimeMicroseconds >= nextTick {
            replica.tick(now: now)
            nextTick = now.uptimeMicroseconds + SubscriberLoop.tickMicroseconds
        }
        try carryOut(now: now)
        tellStatus(now: now)
        _ = try poller.wait(timeout: .microseconds(timeout(now: now)))
        now = Clocks.now()
        for index in links.indices {
            if let token = links[index].controlToken, poller.isReadable(token) {
                try receiveControl(links[index])
            }
            if let token = links[index].streamToken, poller.isReadable(token) { try receiveStream(links[index]) }
        }
        try carryOut(now: now)
    }

    private func timeout(now: Moment) -> UInt64 {
        var next = min(max(replica.nextDeadline(now: now), nextTick), nextStatus)
        for link in links { if let at = link.reopenAt { next = min(next, at) } }
        return next > now.uptimeMicroseconds ? next - now.uptimeMicroseconds : 0
    }

    /// Opens the connections whose pause is over.
    private mutating func reopen(now: Moment) throws {
        for link in links {
            guard let at = link.reopenAt, now.uptimeMicroseconds >= at else { continue }
            link.reopenAt = nil
            try link.openControl(in: context, poller: &poller, configuration: subscriber.configuration)
            replica.connected(link.sender, now: now)
        }
    }

    private mutating func receiveControl(_ link: SenderLink) throws {
        for _ in 0..<SubscriberLoop.burst {
            guard try link.receiveControl(into: &payload) else { return }
            let now = Clocks.now()
            // A reply is one frame; the rest of a longer message is passed over.
            let isWhole = !payload.hasMore
            if isWhole {
                let sender = link.sender
                payload.withSpan { replica.receiveControl(sender, $0, now: now) }
            } else {
                while payload.hasMore, try link.receiveControl(into: &payload) {}
                replica.countMalformed(link.sender, "a reply of several frames")
            }
            try carryOut(now: now)
        }
    }

    private mutating func receiveStream(_ link: SenderLink) throws {
        for _ in 0..<SubscriberLoop.burst {
            guard try link.receiveStream(into: &topic) else { return }
            guard topic.hasMore, try link.receiveStream(into: &payload) else {
                replica.countMalformed(link.sender, "a stream message of one frame")
                continue
            }
            let isWhole = !payload.hasMore
            if isWhole {
                let now = Clocks.now()
                let sender = link.sender
                topic.withSpan { topic in
                    payload.withSpan { replica.receiveStream(sender, topic: topic, payload: $0, now: now) }
                }
            } else {
                while payload.hasMore, try link.receiveStream(into: &payload) {}
                replica.countMalformed(link.sender, "a stream message of more than two frames")
            }
        }
    }

    private mutating func carryOut(now: Moment) throws {
        while replica.hasActions {
            for action in replica.takeActions() {
                switch action {
                case .connectStream(let sender, let endpoint):
                    let link = links[sender.index]
                    link.attempts = 0
                    let resolved = SenderEndpoints.resolve(stream: endpoint, control: link.endpoint)
                    do {
                        try link.openStream(
                            to: resolved, in: context, poller: &poller, configuration: subscriber.configuration)
                    } catch {
                        replica.disconnected(sender, reason: error.description, now: now)
                    }
                case .subscribe(let sender, let prefix): try links[sender.index].subscribe(to: prefix)
                case .unsubscribe(let sender, let prefix): try links[sender.index].unsubscribe(from: prefix)
                case .request(let sender, let payload): try links[sender.index].request(payload)
                case .reconnect(let sender): scheduleReopen(links[sender.index], now: now)
                case .notice(let notice): log(notice)
                }
            }
        }
    }

    private func scheduleReopen(_ link: SenderLink, now: Moment) {
        let configuration = subscriber.configuration
        link.close()
        let delay = configuration.reconnectDelay.wholeMicroseconds << UInt64(min(link.attempts, 10))
        link.attempts += 1
        link.reopenAt = now.uptimeMicroseconds + min(delay, configuration.reconnectDelayMax.wholeMicroseconds)
    }

    private func log(_ notice: Notice) {
        var metadata: Logger.Metadata = [:]
        for (key, value) in notice.metadata { metadata[key] = "\(value)" }
        subscriber.logger.log(level: notice.kind.level, "\(notice.kind.rawValue)", metadata: metadata)
    }

    /// Tells how things stand: four times a second, and at once when a state has changed.
    private mutating func tellStatus(now: Moment) {
        let states = links.map { replica.state(of: $0.sender) }
        guard now.uptimeMicroseconds >= nextStatus || states != lastState else { return }
        lastState = states
        nextStatus = now.uptimeMicroseconds + SubscriberLoop.statusMicroseconds
        subscriber.publish(
            SubscriberStatus(
                senders: replica.senderStatus(now: now), streams: replica.streamStatus(now: now),
                counters: replica.counters))
        metrics.update(replica.counters, now: now)
    }
}

extension Notice.Kind {
    /// Libraries log at info or below; what an operator must act on is a warning.
    fileprivate var level: Logger.Level {
        switch self {
        case .incarnationConflict, .versionMismatch, .digestMismatch, .clockRejected: .warning
        case .senderLive, .senderSilent, .senderStopped, .newIncarnation, .senderRefused: .info
        case .holeFound, .holeMended, .malformed: .debug
        }
    }
}
