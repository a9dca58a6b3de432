@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire

/// A sender that serves from a copy and a ring which a test fills: what a relay answers, told when and how.
final class FakeRelay {
    struct Stream: Hashable {
        let origin: String
        let incarnation: UInt64
        let topic: Topic
    }

    let name: String
    let cache = ModelCache()
    var ring: [Stream: [UInt64: [UInt8]]] = [:]
    var heads: [Stream: UInt64] = [:]
    /// Answers a request in another way than an honest relay would; nil leaves it to the relay.
    var answer: ((ControlRequest) -> [ControlReply]?)?
    var requests: [ControlRequest] = []
    /// How long ago it says to have heard of its origins.
    var ageMilliseconds: UInt64 = 0
    /// The last stamp that it says to have heard of its origins.
    var stamp: Stamp = 1
    /// It says that its origins push their batches.
    var isPushed = false
    /// The origins of which it says that they have started before.
    var formerOrigins: Set<String> = []

    init(_ name: String) { self.name = name }

    /// Takes a batch of an origin.
    func take(_ topic: Topic, _ payload: [UInt8]) throws {
        var decoder = BatchDecoder()
        try decoder.decode(payload.span)
        cache.commit(decoder.batch(in: payload.span), type: topic.type ?? "")
        let stream = Stream(origin: decoder.origin, incarnation: decoder.incarnation, topic: topic)
        ring[stream, default: [:]][decoder.sequence] = payload
        heads[stream] = max(heads[stream] ?? 0, decoder.sequence)
    }

    func told(prefixes: [Topic] = [.dataPrefix]) -> [Heads] {
        // An origin is told also where it has nothing below the prefixes.
        Dictionary(grouping: heads) { $0.key.origin }.sorted { $0.key < $1.key }.map { origin, all in
            let streams = all.filter { stream, _ in prefixes.contains { stream.topic.overlaps($0.bytes) } }
            return Heads(
                origin: origin, incarnation: all.map(\.key.incarnation).max() ?? 0, stamp: stamp,
                heads: streams.sorted { $0.key.topic.description < $1.key.topic.description }.map { stream, head in
                    TopicHead(
                        topic: stream.topic, sequence: head,
                        digest: cache.digest(
                            of: stream.topic.type ?? "", buckets: stream.topic.buckets ?? 0..<256))
                },
                isRelayed: true, isPushed: isPushed, mayHaveFormer: formerOrigins.contains(origin),
                ageMilliseconds: ageMilliseconds)
        }
    }

    func replies(to request: ControlRequest) -> [ControlReply] {
        requests.append(request)
        if let replies = answer?(request) { return replies }
        switch request {
        case .hello(let rid, _, _, _):
            return [
                .welcome(
                    rid: rid, version: 1, name: name, streamEndpoint: "memory", heartbeatMilliseconds: 500,
                    frameLimit: 1 << 20, heads: told())
            ]
        case .snapshot(let rid, let prefixes, _):
            return records(prefixes).map { .records(rid: rid, type: $0, records: [$1]) }
                + [.complete(rid: rid, heads: told(prefixes: prefixes))]
        case .heads(let rid, let prefixes, _): return [.complete(rid: rid, heads: told(prefixes: prefixes))]
        case .fetch(let rid, let type, let ids):
            let records = ids.compactMap { cache.record(type: type, id: $0, includingTombstones: true) }
            return [.records(rid: rid, type: type, records: records), .complete(rid: rid, heads: told())]
        case .digest(let rid, let type, _):
            return [.digests(rid: rid, heads: told(), digests: cache.bucketDigests(of: type))]
        case .replay(let rid, let origin, let incarnation, let topic, let first, let last):
            let held = ring[Stream(origin: origin, incarnation: incarnation, topic: topic)] ?? [:]
            guard (first...last).allSatisfy({ held[$0] != nil }) else { return [.gone(rid: rid, oldest: 0)] }
            return (first...last).map { .frame(rid: rid, topic: topic, batch: held[$0] ?? []) }
                + [.complete(rid: rid, heads: [])]
        default: return []
        }
    }

    private func records(_ prefixes: [Topic]) -> [(String, CellRecord)] {
        let snapshot = cache.snapshot()
        var result: [(String, CellRecord)] = []
        for type in snapshot.types {
            snapshot.forEach(type: type, includingTombstones: true) { record in
                let topic = Topic.data(
                    type: type, partitions: .twoHundredFiftySix, bucket: Fingerprint.bucket(idHash: record.idHash))
                if prefixes.contains(where: { $0.isPrefix(of: topic) }) { result.append((type, record)) }
                return true
            }
        }
        return result
    }
}

/// A replica that listens to fake relays, with origins whose batches a test hands to whom it likes.
struct Mesh {
    var origins: [Origin] = []
    let relays: [FakeRelay]
    private(set) var replica: Replica
    let senders: [SenderID]
    var time: UInt64 = 0
    var notices: [Notice] = []
    /// Requests to these relays stay without an answer.
    var silent: Set<Int> = []
    var reconnects: [SenderID] = []
    /// What was fetched, by the numbers under which it was asked for.
    var fetched: [UInt64: [CellRecord]] = [:]
    /// Is called after every reply.
    var afterReply: (() -> Void)?

    init(
        relays count: Int, origins originCount: Int, configuration: ReplicaConfiguration? = nil,
        modelLimits: CacheLimits? = nil
    ) throws {
        relays = (0..<count).map { FakeRelay("relay-\($0)") }
        replica = Replica(
            configuration: configuration ?? ReplicaConfiguration(name: "replica", repairJitterMax: .zero),
            cache: ModelCache(limits: modelLimits), now: .start, seed: 1)
        senders = relays.map { [replica] _ in replica.addSender() }
        for index in 0..<originCount { origins.append(try Wire.makeOrigin(name: "origin-\(index)")) }
    }

    /// Another run of the replica takes over, with the same senders.
    mutating func restart(_ other: Replica) {
        for _ in senders { _ = other.addSender() }
        replica = other
    }

    var now: Moment {
        Moment(wallMilliseconds: 1_800_000_000_000 + time / 1000, uptimeMicroseconds: 1_000_000 + time)
    }

    /// Writes at an origin; hands the batches to relays, and from there to the replica.
    /// - Parameter via: the relays whose stream reaches the replica.
    mutating func write(
        _ origin: Int, _ type: String, _ id: String, _ fields: Fields, to takers: [Int]? = nil, via: [Int]? = nil
    ) throws {
        _ = try origins[origin].write(
            .merge, type: type, id: id, fields: try EncodedFields(fields), now: now)
        try pump(origin, to: takers, via: via)
    }

    mutating func pump(_ origin: Int, to takers: [Int]? = nil, via: [Int]? = nil) throws {
        origins[origin].flush()
        for case .publish(let topic, let payload) in origins[origin].takeActions() where topic.type != nil {
            for relay in takers ?? Array(relays.indices) { try relays[relay].take(topic, payload) }
            for relay in via ?? Array(relays.indices) {
                replica.receiveStream(senders[relay], topic: topic.bytes.span, payload: payload.span, now: now)
            }
        }
    }

    mutating func connect() throws {
        for sender in senders { replica.connected(sender, now: now) }
        exchange()
        try requireLive()
    }

    mutating func exchange() {
        while replica.hasActions {
            for action in replica.takeActions() {
                switch action {
                case .request(let sender, let payload):
                    guard !silent.contains(sender.index),
                        let request = try? ControlRequest(decoding: payload.span, limits: .default)
                    else { continue }
                    for reply in relays[sender.index].replies(to: request) {
                        replica.receiveControl(sender, reply.encode().span, now: now)
                        afterReply?()
                    }
                case .subscribe(let sender, let prefix) where prefix.first == 0xFF:
                    tell(sender.index, on: prefix)
                case .reconnect(let sender): reconnects.append(sender)
                case .notice(let notice): notices.append(notice)
                case .fetched(let token, let records): fetched[token] = records
                default: break
                }
            }
        }
    }

    /// One relay's heads reach the replica.
    mutating func tell(_ relay: Int, on topic: [UInt8]? = nil) {
        var told = relays[relay].told()
        if told.isEmpty { told = [Heads(origin: relays[relay].name, incarnation: 1, stamp: 1, heads: [])] }
        for heads in told {
            let bytes = topic ?? Topic.heads(origin: heads.origin).bytes
            replica.receiveStream(senders[relay], topic: bytes.span, payload: heads.encode().span, now: now)
        }
    }

    /// Lets time pass, with a heartbeat of every relay that is not silent each 500 ms.
    mutating func pass(milliseconds: UInt64) {
        let end = time + milliseconds * 1000
        while time < end {
            time += 5_000
            if time % 500_000 == 0 { for relay in relays.indices where !silent.contains(relay) { tell(relay) } }
            replica.tick(now: now)
            exchange()
        }
    }

    func isEqual(to relay: Int) -> Bool {
        Set(relays[relay].cache.types).union(replica.cache.types).allSatisfy {
            relays[relay].cache.digest(of: $0) == replica.cache.digest(of: $0)
        }
    }

    private func requireLive() throws {
        for sender in senders where replica.state(of: sender) != .live {
            throw CaseError("sender \(sender.index) is \(replica.state(of: sender).rawValue)")
        }
    }
}
