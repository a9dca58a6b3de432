import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

extension Moment {
    /// The time at which a harness begins.
    static let start = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1_000_000)
}

/// One origin and one replica that are wired by hand, so that a test decides what arrives.
struct Wire {
    var origin: Origin
    let replica: Replica
    let sender: SenderID
    /// Microseconds since the test began.
    var time: UInt64 = 0
    /// How far the wall clock has been set ahead.
    var wallOffsetMilliseconds: UInt64 = 0
    /// What the origin has published and nobody has delivered yet.
    var stream: [(topic: Topic, payload: [UInt8])] = []
    var notices: [Notice] = []
    var requests: [ControlRequest] = []
    var reconnects = 0
    /// What was fetched, by the numbers under which it was asked for.
    var fetched: [UInt64: [CellRecord]] = [:]
    /// What the replica has handed on.
    var forwarded: [(topic: Topic, payload: [UInt8])] = []
    /// Replies are delivered at once unless a test holds them back.
    var holdsReplies = false
    var heldReplies: [[UInt8]] = []
    /// Answers a request in place of the origin; nil leaves it to the origin.
    var answer: ((ControlRequest, Sent) -> [ControlReply]?)?
    /// Everything that was published, by topic, in order.
    var sent: Sent = [:]
    private var subscriptions: [[UInt8]] = []

    typealias Sent = [Topic: [[UInt8]]]

    init(
        incarnationAfter seen: UInt64 = 0, prefixes: [[UInt8]] = [Array("m/".utf8)], partitions: Partitions = .one,
        limits: WireLimits = .default, forwardsBatches: Bool = false, replayByteCount: Int = 64 << 20,
        repairJitterMax: Duration = .zero, seed: UInt64 = 1, versions: ProtocolVersions = .current,
        originVersions: ProtocolVersions = .current, tombstoneRetention: Duration = .seconds(24 * 3600),
        modelLimits: CacheLimits? = nil
    ) throws {
        origin = try Wire.makeOrigin(
            after: seen, partitions: partitions, limits: limits, replayByteCount: replayByteCount,
            versions: originVersions)
        var configuration = ReplicaConfiguration(
            name: "replica", prefixes: prefixes, repairJitterMax: repairJitterMax,
            tombstoneRetention: tombstoneRetention, forwardsBatches: forwardsBatches)
        configuration.versions = versions
        replica = Replica(configuration: configuration, cache: ModelCache(limits: modelLimits), now: .start, seed: seed)
        sender = replica.addSender()
    }

    static func makeOrigin(
        after seen: UInt64 = 0, partitions: Partitions = .one, limits: WireLimits = .default, name: String = "origin",
        replayByteCount: Int = 64 << 20, versions: ProtocolVersions = .current
    ) throws -> Origin {
        var configuration = OriginConfiguration(
            name: name, streamEndpoint: "memory", limits: limits, partitions: partitions,
            replayByteCount: replayByteCount)
        configuration.versions = versions
        return try Origin(
            configuration: configuration,
            cache: ModelCache(), now: Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1), after: seen)
    }

    var now: Moment {
        Moment(
            wallMilliseconds: 1_800_000_000_000 + wallOffsetMilliseconds + time / 1000,
            uptimeMicroseconds: 1_000_000 + time)
    }

    /// Connects and delivers everything until the replica is live.
    mutating func becomeLive() throws {
        replica.connected(sender, now: now)
        try exchange()
        deliverAll()
        try exchange()
        try #require(replica.state(of: sender) == .live)
    }

    @discardableResult
    mutating func write(
        _ type: String, _ id: String, _ fields: Fields = [:], as write: Write = .merge
    ) throws -> PublishOutcome {
        try origin.write(write, type: type, id: id, fields: try EncodedFields(fields), now: now)
    }

    /// Closes the open batches; what goes out waits in ``stream``.
    mutating func flush() {
        origin.flush()
        takeFromOrigin()
    }

    /// Lets control requests, replies and subscriptions travel until nothing moves.
    mutating func exchange() throws {
        var isMoving = true
        while isMoving {
            isMoving = false
            takeFromOrigin()
            for action in replica.takeActions() {
                isMoving = true
                switch action {
                case .request(_, let payload):
                    let request = try ControlRequest(decoding: payload.span, limits: .default)
                    requests.append(request)
                    guard let replies = answer?(request, sent) else {
                        origin.receive(payload.span, from: [1], now: now)
                        continue
                    }
                    for reply in replies { arrive(reply.encode()) }
                case .subscribe(_, let prefix):
                    subscriptions.append(prefix)
                    origin.subscribed(to: prefix, now: now)
                case .unsubscribe(_, let prefix): subscriptions.removeAll { $0 == prefix }
                case .reconnect: reconnects += 1
                case .notice(let notice): notices.append(notice)
                case .fetched(let token, let records): fetched[token] = records
                case .connectStream: break
                case .forward(let topic, let payload, _, _, _): forwarded.append((topic, payload))
                }
            }
            // The barrier's answer must not wait for a test that holds batches back.
            for index in stream.indices.reversed() where stream[index].topic.isBarrier {
                deliver(index)
                isMoving = true
            }
        }
    }

    private mutating func takeFromOrigin() {
        for action in origin.takeActions() {
            switch action {
            case .notice(let notice): notices.append(notice)
            case .publish(let topic, let payload):
                if topic.type != nil { sent[topic, default: []].append(payload) }
                if subscriptions.contains(where: { topic.bytes.starts(with: $0) }) { stream.append((topic, payload)) }
            case .reply(_, let payload): arrive(payload)
            }
        }
    }

    private mutating func arrive(_ reply: [UInt8]) {
        if holdsReplies {
            heldReplies.append(reply)
        } else {
            replica.receiveControl(sender, reply.span, now: now)
        }
    }

    /// Delivers the first reply that is held back.
    mutating func deliverReply() {
        guard !heldReplies.isEmpty else { return }
        let reply = heldReplies.removeFirst()
        replica.receiveControl(sender, reply.span, now: now)
    }

    /// Delivers one message of ``stream`` and forgets it.
    mutating func deliver(_ index: Int) {
        let (topic, payload) = stream.remove(at: index)
        replica.receiveStream(sender, topic: topic.bytes.span, payload: payload.span, now: now)
    }

    mutating func deliverAll() {
        while !stream.isEmpty { deliver(0) }
    }

    /// Lets time pass; heartbeats wait in ``stream``, requests and replies travel.
    mutating func pass(milliseconds: UInt64) throws {
        let end = time + milliseconds * 1000
        while time < end {
            time += 5_000
            origin.tick(now: now)
            replica.tick(now: now)
            try exchange()
        }
    }

    /// Lets time pass in which everything that is sent arrives.
    mutating func live(milliseconds: UInt64) throws {
        for _ in 0..<milliseconds / 100 {
            try pass(milliseconds: 100)
            deliverAll()
            try exchange()
        }
    }

    /// What the origin answers now to a request of the test's own.
    mutating func ask(_ request: ControlRequest) throws -> (records: [CellRecord], heads: [Heads]) {
        origin.receive(request.encode().span, from: [1], now: now)
        var answer: (records: [CellRecord], heads: [Heads]) = ([], [])
        for case .reply(_, let payload) in origin.takeActions() {
            switch try ControlReply(decoding: payload.span, limits: .default) {
            case .records(_, _, let records): answer.records += records
            case .complete(_, let heads): answer.heads = heads
            default: break
            }
        }
        return answer
    }

    /// Answers replays from all that was sent; at least one batch of a test's origin is wanted by sequence.
    static func replays(_ request: ControlRequest, _ sent: Sent) -> [ControlReply]? {
        guard case .replay(let rid, _, _, let topic, let first, let last) = request else { return nil }
        let frames = (first...last).compactMap { sequence -> ControlReply? in
            guard let batch = sent[topic]?.dropFirst(Int(sequence - 1)).first else { return nil }
            return .frame(rid: rid, topic: topic, batch: batch)
        }
        return frames + [.complete(rid: rid, heads: [])]
    }

    /// The ranges that replays have asked for.
    var replayed: [ClosedRange<UInt64>] {
        requests.compactMap { request in
            guard case .replay(_, _, _, _, let first, let last) = request else { return nil }
            return first...last
        }
    }

    var snapshotCount: Int {
        requests.count { if case .snapshot = $0 { true } else { false } }
    }

    var areEqual: Bool {
        Set(origin.cache.types).union(replica.cache.types).allSatisfy {
            origin.cache.digest(of: $0) == replica.cache.digest(of: $0)
        }
    }
}

extension Replica {
    /// Does what the replica asks of senders that a test plays, until it asks no more.
    /// - Parameters:
    ///   - own: what a sender tells on the topic of a barrier.
    /// - Returns: what it wants a person to hear of.
    func exchange(
        now: Moment, own: (SenderID) -> Heads, answers: (SenderID, ControlRequest) -> [ControlReply]
    ) throws -> [Notice] {
        var notices: [Notice] = []
        while hasActions {
            for action in takeActions() {
                switch action {
                case .subscribe(let sender, let prefix) where prefix.first == 0xFF:
                    receiveStream(sender, topic: prefix.span, payload: own(sender).encode().span, now: now)
                case .request(let sender, let payload):
                    let request = try ControlRequest(decoding: payload.span, limits: .default)
                    for reply in answers(sender, request) {
                        receiveControl(sender, reply.encode().span, now: now)
                    }
                case .notice(let notice): notices.append(notice)
                default: break
                }
            }
        }
        return notices
    }
}
