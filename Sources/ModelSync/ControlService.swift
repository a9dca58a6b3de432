import ModelCache
import ModelRecord
import ModelWire

/// Answers control requests, for an origin and for a relay alike: what both must agree on is in one place.
///
/// It knows the peers and what is under way to them. What a request is about belongs to the owner:
/// ``admit(_:from:now:counters:)`` deals with what needs nothing of it, and hands out the rest as a ``Question``, which
/// the owner passes on to ``answer(_:to:with:now:counters:)`` with its heads and its copy. Replies wait in the service
/// until they are taken.
struct ControlService: Sendable {
    /// What a service tells of its owner.
    struct Configuration: Sendable {
        var name: String
        /// "publisher" or "relay": for messages that people read.
        var role: String
        var streamEndpoint: String
        var limits: WireLimits
        var heartbeatInterval: Duration
        var chunkByteCount: Int
        var budget: RequestBudget
    }

    /// A request that cannot be answered without the owner.
    enum Question: Sendable {
        case hello(rid: UInt64)
        case snapshot(rid: UInt64, prefixes: [[UInt8]], credit: Int)
        case fetch(rid: UInt64, type: String, ids: [String])
        case digest(rid: UInt64, type: String, bits: Int)
        case replay(rid: UInt64, stream: ReplayRing.Stream, first: UInt64, last: UInt64)
        case push(rid: UInt64, topic: Topic, batch: [UInt8])
        case report(Report)
    }

    /// What the owner has at this moment: heads that were read when nothing was left to be sent, and its copy.
    struct Served {
        /// One for each origin that the owner speaks for, with the topics that the question selects.
        var heads: [Heads]
        var cache: ModelCache
    }

    /// One frame for one peer.
    struct Reply: Sendable {
        let peer: [UInt8]
        let payload: [UInt8]
    }

    var configuration: Configuration
    var peers = PeerTable()
    private var replies: [Reply] = []

    init(configuration: Configuration) { self.configuration = configuration }

    /// Hands over the replies that wait, in order.
    mutating func takeReplies() -> [Reply] {
        defer { replies = [] }
        return replies
    }

    /// Takes one request: any bytes; what is not a request is counted and answered with `malformed`.
    /// - Returns: what is left for the owner to say.
    mutating func admit(
        _ payload: Span<UInt8>, from peer: [UInt8], now: Moment, counters: inout Counters
    ) -> Question? {
        let request: ControlRequest
        do {
            request = try ControlRequest(decoding: payload, limits: configuration.limits)
        } catch {
            counters[.malformedFrames] += 1
            refuse(0, .malformed, error.description, peer, now: now, &counters)
            return nil
        }
        switch request {
        case .hello(let rid, let version, let name, let prefixes):
            guard version == 1 else {
                let message = "this \(configuration.role) speaks version 1, not \(version); update the older side"
                refuse(rid, .version, message, peer, now: now, &counters)
                return nil
            }
            guard spend(\.questions, of: configuration.budget.questions, rid, peer, now: now, &counters),
                hold(payload.count, of: \.helloByteCount, rid, peer, now: now, &counters)
            else { return nil }
            peers.withPeer(peer, now: now) {
                $0.name = name
                $0.prefixes = prefixes
            }
            return .hello(rid: rid)
        case .snapshot(let rid, let prefixes, let credit):
            guard admitSnapshot(rid, peer, now: now, &counters) else { return nil }
            return .snapshot(rid: rid, prefixes: prefixes.map(\.bytes), credit: Int(clamping: credit))
        case .credit(let rid, let count):
            peers.withPeer(peer, now: now) {
                $0.cursors[rid]?.add(credit: Int(clamping: count), now: now.uptimeMicroseconds)
            }
            serve(rid, to: peer, now: now, &counters)
        case .cancel(let rid):
            peers.withPeer(peer, now: now) { _ = $0.cursors.removeValue(forKey: rid) }
        case .report(let rid, let report):
            guard hold(payload.count, of: \.reportByteCount, rid, peer, now: now, &counters) else { return nil }
            peers.withPeer(peer, now: now) { $0.report = report }
            return .report(report)
        case .fetch, .digest: return admitLookup(request, from: peer, now: now, counters: &counters)
        case .replay(let rid, let origin, let incarnation, let topic, let first, let last):
            let stream = ReplayRing.Stream(origin: origin, incarnation: incarnation, topic: topic)
            return .replay(rid: rid, stream: stream, first: first, last: last)
        case .push(let rid, let topic, let batch):
            return .push(rid: rid, topic: topic, batch: batch)
        case .unknown(let method, let rid):
            counters[.unknownKinds] += 1
            refuse(
                rid, .malformed, "method \(method) is not known to protocol version 1", peer, now: now, &counters)
        }
        return nil
    }

    /// What looks at many models is bounded in size or rate.
    private mutating func admitLookup(
        _ request: ControlRequest, from peer: [UInt8], now: Moment, counters: inout Counters
    ) -> Question? {
        switch request {
        case .fetch(let rid, let type, let ids):
            let idCountMax = configuration.budget.fetchIDCount
            guard ids.count <= idCountMax else {
                refuse(
                    rid, .limit, "\(ids.count) ids; at most \(idCountMax) at once", peer, now: now, &counters)
                return nil
            }
            return .fetch(rid: rid, type: type, ids: ids)
        case .digest(let rid, let type, let bits):
            guard bits <= 16 else {
                refuse(rid, .limit, "a digest has 0 to 16 bits, not \(bits)", peer, now: now, &counters)
                return nil
            }
            let budget = configuration.budget
            let isAffordable =
                bits > 8
                ? spend(\.fineDigests, of: budget.fineDigests, rid, peer, now: now, &counters)
                : spend(\.questions, of: budget.questions, rid, peer, now: now, &counters)
            guard isAffordable else { return nil }
            return .digest(rid: rid, type: type, bits: Int(bits))
        default: return nil
        }
    }

    /// Answers what was admitted, all but replay, push and report.
    mutating func answer(
        _ question: Question, to peer: [UInt8], with served: Served, now: Moment, counters: inout Counters
    ) {
        switch question {
        case .hello(let rid): welcome(rid, peer, served, now: now, &counters)
        case .snapshot(let rid, let prefixes, let credit):
            beginSnapshot(rid, prefixes: prefixes, credit: credit, peer, served, now: now, counters: &counters)
        case .fetch(let rid, let type, let ids):
            fetch(rid, type: type, ids: ids, peer, served, now: now, counters: &counters)
        case .digest(let rid, let type, let bits):
            let digests = served.cache.digests(of: type, bits: bits)
            replyFitting(
                peer, .digests(rid: rid, heads: served.heads, digests: digests), now: now, &counters)
        case .replay, .push, .report: break
        }
    }

    mutating func reply(_ peer: [UInt8], _ reply: ControlReply) {
        replies.append(Reply(peer: peer, payload: reply.encode()))
    }

    /// Answers with a list of heads, or refuses where that does not fit into a frame: it would cost the peer its
    /// connection.
    mutating func replyFitting(_ peer: [UInt8], _ reply: ControlReply, now: Moment, _ counters: inout Counters) {
        let payload = reply.encode()
        let byteCountMax = configuration.limits.frameByteCount
        guard payload.count <= byteCountMax else {
            let message = "the answer would take \(payload.count) bytes, and a frame has at most \(byteCountMax)"
            return refuse(reply.rid, .limit, message, peer, now: now, &counters)
        }
        replies.append(Reply(peer: peer, payload: payload))
    }

    private mutating func welcome(
        _ rid: UInt64, _ peer: [UInt8], _ served: Served, now: Moment, _ counters: inout Counters
    ) {
        // A sixteenth of the frame is theirs, which is more than anybody needs.
        var left = configuration.limits.frameByteCount / 16
        let types = served.cache.types.sorted().prefix { type in
            left -= type.utf8.count + 2
            return left > 0
        }
        replyFitting(
            peer,
            .welcome(
                rid: rid, version: 1, name: configuration.name, streamEndpoint: configuration.streamEndpoint,
                heartbeatMilliseconds: configuration.heartbeatInterval.wholeMicroseconds / 1000,
                frameLimit: UInt64(configuration.limits.frameByteCount), heads: served.heads,
                types: Array(types)), now: now, &counters)
    }
}
