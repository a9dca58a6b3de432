import ModelCache
import ModelRecord
import ModelWire
import TestSupport

@testable import ModelSync

/// An answer that is on its way for long.
final class LateAnswer {
    var isHolding = false
    private(set) var replies: [ControlReply] = []

    func hold(_ held: [ControlReply]) -> [ControlReply] {
        replies += held
        return []
    }
}

/// A publisher `origin`, a liar, and a replica that listens to both, unless the publisher is behind a relay.
struct ClaimField {
    var origin: Origin
    let replica: Replica
    let honest: SenderID
    let liar: SenderID
    /// A second relay, which tells what the first one tells.
    private var second: SenderID?
    var time: UInt64 = 0
    var notices: [Notice] = []
    /// What the liar answers to a snapshot, and whether the honest sender is a relay.
    var lie: [Heads] = []
    /// Its copy.
    var liarCopy = ModelCache()
    /// Records that are none, which it sends as well.
    var liarRecords: [(type: String, bytes: [UInt8])] = []
    /// The name that it bears.
    var liarName = "liar"
    let isRelayed: Bool
    var sent: [UInt64: [UInt8]] = [:]
    /// The honest sender has no batches any more.
    var isReplayGone = false
    /// What the honest sender answers to a snapshot, where that is held up.
    let late = LateAnswer()
    /// The honest sender, a relay, tells this head, as it was deceived itself, with the digest of its copy.
    var falseHead: UInt64?

    init(isRelayed: Bool, retention: Duration = .seconds(24 * 3600)) throws {
        self.isRelayed = isRelayed
        origin = try Wire.makeOrigin()
        replica = Replica(
            configuration: ReplicaConfiguration(
                name: "replica", repairJitterMax: .zero, tombstoneRetention: retention),
            cache: ModelCache(), now: .start, seed: 1)
        honest = replica.addSender()
        liar = replica.addSender()
    }

    var now: Moment {
        Moment(wallMilliseconds: 1_800_000_000_000 + time / 1000, uptimeMicroseconds: 1_000_000 + time)
    }

    func of(_ origin: Origin, _ head: UInt64, stamp: Stamp? = nil, incarnation: UInt64? = nil) -> Heads {
        Heads(
            origin: "origin", incarnation: incarnation ?? origin.incarnation,
            stamp: stamp ?? now.wallMilliseconds << 16,
            heads: [TopicHead(topic: .data(type: "User"), sequence: head)], isRelayed: false)
    }

    mutating func hear(_ sender: SenderID, _ heads: Heads) {
        let name = Topic.heads(origin: heads.origin).bytes
        replica.receiveStream(sender, topic: name.span, payload: heads.encode().span, now: now)
    }

    mutating func tellHonest() {
        var heads = of(origin, UInt64(sent.count))
        heads.isRelayed = isRelayed
        if let falseHead {
            let digest = origin.cache.bucketDigests(of: "User").reduce(0, &+)
            heads.heads = [TopicHead(topic: .data(type: "User"), sequence: falseHead, digest: digest)]
        }
        hear(honest, heads)
        if let second { hear(second, heads) }
    }

    private func name(_ sender: SenderID) -> String { sender == liar ? liarName : isRelayed ? "relay" : "origin" }

    /// Answers whatever the replica asks.
    mutating func exchange() throws {
        notices += try replica.exchange(
            now: now, own: { Heads(origin: name($0), incarnation: 1, stamp: 1, heads: []) }, answers: answers)
    }

    private func answers(_ sender: SenderID, _ request: ControlRequest) -> [ControlReply] {
        var truth = of(origin, UInt64(sent.count))
        truth.isRelayed = isRelayed
        switch request {
        case .hello(let rid, _, _, _):
            return [
                .welcome(
                    rid: rid, version: 1, name: name(sender), streamEndpoint: "memory", heartbeatMilliseconds: 500,
                    frameLimit: 1 << 20, heads: [])
            ]
        case .snapshot(let rid, _, _):
            if sender == liar {
                let snapshot = liarCopy.snapshot()
                return snapshot.types.map { type in
                    .records(rid: rid, type: type, records: Array(snapshot.records(of: type)))
                }
                    + liarRecords.compactMap { type, bytes in
                        // ["records", rid, type, [record]]
                        let head = Array(ControlReply.records(rid: rid, type: type, records: []).encode().dropLast())
                        return try? ControlReply(decoding: (head + [0x81] + bytes).span, limits: .default)
                    } + [.complete(rid: rid, heads: lie)]
            }
            let records = Array(origin.cache.snapshot().records(of: "User"))
            let replies: [ControlReply] = [
                .records(rid: rid, type: "User", records: records), .complete(rid: rid, heads: [truth]),
            ]
            return late.isHolding ? late.hold(replies) : replies
        case .replay(let rid, _, _, let topic, let first, let last):
            guard sender == honest, !isReplayGone, last <= UInt64(sent.count) else {
                return [.gone(rid: rid, oldest: 0)]
            }
            return (first...last).map { .frame(rid: rid, topic: topic, batch: sent[$0] ?? []) }
                + [.complete(rid: rid, heads: [])]
        case .digest(let rid, let type, let bits) where sender == honest:
            if let falseHead { truth.heads = [TopicHead(topic: .data(type: "User"), sequence: falseHead)] }
            return [.digests(rid: rid, heads: [truth], digests: origin.cache.digests(of: type, bits: Int(bits)))]
        case .digest(let rid, let type, let bits) where sender == liar && !liarCopy.types.isEmpty:
            return [.digests(rid: rid, heads: lie, digests: liarCopy.digests(of: type, bits: Int(bits)))]
        default: return []
        }
    }

    /// A replica that follows a later start which only the liar has told, while the batch of `lost` does not come.
    static func deceived() throws -> ClaimField {
        var field = try ClaimField(isRelayed: true)
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 1_000)
        field.hear(field.liar, field.of(field.origin, 3, incarnation: field.now.wallMilliseconds << 16))
        try field.write("lost", isLost: true)
        return field
    }

    mutating func connect() throws {
        replica.connected(honest, now: now)
        try exchange()
        replica.connected(liar, now: now)
        try exchange()
        time += 10_000
    }

    mutating func connectSecondRelay() throws {
        let sender = replica.addSender()
        second = sender
        replica.connected(sender, now: now)
        try exchange()
    }

    /// Writes at the publisher; the batch comes by the honest sender unless it is lost.
    mutating func write(_ id: String, _ operation: Write = .merge, isLost: Bool = false) throws {
        time += 1_000
        let fields = operation == .delete ? Fields() : ["a": 1]
        _ = try origin.write(operation, type: "User", id: id, fields: EncodedFields(fields), now: now)
        origin.flush()
        for case .publish(let topic, let payload) in origin.takeActions() where topic.type != nil {
            sent[UInt64(sent.count + 1)] = payload
            guard !isLost else { continue }
            replica.receiveStream(honest, topic: topic.bytes.span, payload: payload.span, now: now)
        }
        try exchange()
    }

    /// The publisher starts anew with what it has.
    mutating func restart() throws {
        origin = try Origin(
            configuration: OriginConfiguration(name: "origin", streamEndpoint: "memory"), cache: origin.cache,
            now: now, after: 0)
        sent = [:]
    }

    /// Time in which the honest sender, unless it is silent, and, where it has anything to say, the liar tell
    /// heads.
    mutating func pass(
        milliseconds: UInt64, liarTells heads: Heads? = nil, isHonestSilent: Bool = false
    ) throws {
        let end = time + milliseconds * 1000
        while time < end {
            time += 5_000
            if time % 500_000 < 5_000 {
                if !isHonestSilent { tellHonest() }
                hear(liar, Heads(origin: "liar", incarnation: 1, stamp: now.wallMilliseconds << 16, heads: []))
                if let heads { hear(liar, heads) }
            }
            replica.tick(now: now)
            try exchange()
        }
    }

    var stream: StreamStatus? { replica.streamStatus(now: now).first { $0.origin == "origin" } }
    func holds(_ id: String) -> Bool { replica.cache["User", id] != nil }
}
