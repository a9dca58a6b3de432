import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

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
    /// Replies are delivered at once unless a test holds them back.
    var holdsReplies = false
    var heldReplies: [[UInt8]] = []
    private var subscriptions: [[UInt8]] = []

    init(
        incarnationAfter seen: UInt64 = 0, prefixes: [[UInt8]] = [Array("m/".utf8)], partitions: Partitions = .one,
        limits: WireLimits = .default
    ) throws {
        origin = try Wire.makeOrigin(after: seen, partitions: partitions, limits: limits)
        replica = Replica(
            configuration: ReplicaConfiguration(name: "replica", prefixes: prefixes), cache: ModelCache(), seed: 1)
        sender = replica.addSender()
    }

    static func makeOrigin(
        after seen: UInt64 = 0, partitions: Partitions = .one, limits: WireLimits = .default, name: String = "origin"
    ) throws -> Origin {
        try Origin(
            configuration: OriginConfiguration(
                name: name, streamEndpoint: "memory", limits: limits, partitions: partitions),
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
                    requests.append(try ControlRequest(decoding: payload.span, limits: .default))
                    origin.receive(payload.span, from: [1], now: now)
                case .subscribe(_, let prefix):
                    subscriptions.append(prefix)
                    origin.subscribed(to: prefix, now: now)
                case .unsubscribe(_, let prefix): subscriptions.removeAll { $0 == prefix }
                case .reconnect: reconnects += 1
                case .notice(let notice): notices.append(notice)
                case .connectStream: break
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
            case .publish(let topic, let payload):
                if subscriptions.contains(where: { topic.bytes.starts(with: $0) }) { stream.append((topic, payload)) }
            case .reply(_, let payload):
                if holdsReplies {
                    heldReplies.append(payload)
                } else {
                    replica.receiveControl(sender, payload.span, now: now)
                }
            }
        }
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

    var areEqual: Bool {
        Set(origin.cache.types).union(replica.cache.types).allSatisfy {
            origin.cache.digest(of: $0) == replica.cache.digest(of: $0)
        }
    }
}
