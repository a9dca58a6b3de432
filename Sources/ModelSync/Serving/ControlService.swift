import ModelCache
import ModelGrants
import ModelRecord
import ModelWire

/// Answers control requests, for an origin and for a relay alike, so that what both must agree on is in one place.
///
/// The service knows the peers and what is under way to them. What a request is about belongs to the owner:
/// ``admit(_:from:now:counters:)`` handles requests that need nothing of the owner, and returns the others as a
/// ``Question``. The owner passes that on to ``answer(_:to:with:now:counters:)`` with its heads and its copy. Replies
/// wait in the service until they are taken.
struct ControlService: Sendable {
    /// The facts of its owner that a service tells and goes by.
    struct Configuration: Sendable {
        var name: String
        /// "publisher", "relay" or "subscriber", for messages that people read.
        var role: String
        var streamEndpoint: String
        var limits: WireLimits
        var heartbeatInterval: Duration
        var chunkByteCount: Int
        var budget: RequestBudget
        var versions: ProtocolVersions
    }

    /// A request that cannot be answered without the owner.
    enum Question: Sendable {
        /// - Parameters:
        ///   - version: the version of the welcome.
        ///   - stream: the endpoint of the stream that the welcome tells.
        case hello(rid: UInt64, version: UInt64, stream: String)
        /// - Parameter credit: nil where the heads alone are wanted.
        case snapshot(rid: UInt64, prefixes: PrefixSet, SnapshotExtent)
        case fetch(rid: UInt64, type: String, ids: [String])
        /// The owner may bring back what has left its copy.
        case fetchBack(rid: UInt64, type: String, ids: [String], milliseconds: UInt64)
        case digest(rid: UInt64, type: String, bits: Int)
        case replay(rid: UInt64, stream: ReplayRing.Stream, first: UInt64, last: UInt64)
        case push(rid: UInt64, topic: Topic, batch: [UInt8])
        case report(ReplicaReport)
    }

    /// The owner's state at this moment: the heads, read when nothing was left to be sent, and its copy.
    struct Served {
        /// The heads of each origin that the owner speaks for, with the topics that the question selects.
        var heads: [Heads]
        var cache: ModelCache
        /// The ids among those asked for that may be of models which are not in the cache; nil where it knows.
        var unsure: Set<ExactText>?
    }

    /// One frame for one peer.
    struct Reply: Sendable {
        let peer: [UInt8]
        let payload: [UInt8]
    }

    var configuration: Configuration
    var peers = PeerTable()
    private var replies: [Reply] = []
    /// Notices for the log that wait.
    var notices: [Notice] = []
    /// The models that the log was told of, because fields of them cannot be sent.
    var toldUnsendable: Set<String> = []
    /// The peers that are in line for a turn, in order; some may be gone.
    var line = Fifo<[UInt8]>()
    /// The peers that have nothing under way, and no room for their next message.
    var crowded = Fifo<[UInt8]>()
    /// The bytes of messages that were made and not yet taken.
    var underWay: AnswersUnderWay
    /// The uses that the owners of keys with limits have made lately.
    var accounts = KeyAccounts()
    /// Barriers that wait to be answered together.
    var barriers = WaitingBarriers()
    /// The refusals, and to whom.
    var errors = DistinctErrors()
    var nextSerial: UInt64 = 0
    /// How many peers were cut since the log was told, and when it may be told again.
    var cutCount = 0
    var nextCutNotice: UInt64 = 0

    init(configuration: Configuration) {
        self.configuration = configuration
        underWay = AnswersUnderWay(byteCountMax: configuration.budget.underWayByteCount)
    }

    /// Returns the replies that wait, in order, and clears them.
    mutating func takeReplies() -> [Reply] {
        defer { replies = [] }
        return replies
    }

    /// Returns the notices that wait, and clears them.
    mutating func takeNotices() -> [Notice] {
        guard !notices.isEmpty else { return [] }
        defer { notices = [] }
        return notices
    }

    /// Takes one request. Bytes that are no request are counted and answered with `malformed`.
    /// - Returns: the question that is left for the owner; nil where none is.
    mutating func admit(
        _ received: ReceivedRequest, from peer: [UInt8], now: Moment, counters: inout Counters
    ) -> Question? {
        peers.withPeer(peer, now: now) {
            ($0.grantee, $0.address) = (received.grantee, received.address)
            $0.tally.requestCount += 1
        }
        let request: ControlRequest
        switch received.request {
        case .success(let decoded): request = decoded
        case .failure(let error):
            counters[.malformedFrames] += 1
            refuse(0, .malformed, error.description, peer, now: now, &counters)
            return nil
        }
        guard isWithinLimits(request, received, peer, now: now, &counters) else { return nil }
        switch request {
        case .hello(let rid, let version, let name, let prefixes):
            return admitHello(rid, version, name, prefixes, received, from: peer, now: now, counters: &counters)
        case .snapshot(let rid, let prefixes, let credit):
            guard admitSnapshot(rid, prefixCount: prefixes.count, peer, now: now, &counters) else { return nil }
            return .snapshot(
                rid: rid, prefixes: PrefixSet(prefixes.map(\.bytes)), .records(credit: Int(clamping: credit)))
        case .ids(let rid, let prefixes, let credit):
            guard admitSnapshot(rid, prefixCount: prefixes.count, peer, now: now, &counters) else { return nil }
            return .snapshot(rid: rid, prefixes: PrefixSet(prefixes.map(\.bytes)), .ids(credit: Int(clamping: credit)))
        case .heads(let rid, let prefixes, _):
            guard admitSnapshot(rid, prefixCount: prefixes.count, peer, now: now, &counters),
                hasPlace(rid, peer, now: now, &counters)
            else { return nil }
            return .snapshot(rid: rid, prefixes: PrefixSet(prefixes.map(\.bytes)), .heads)
        case .credit(let rid, let count):
            peers.withPeer(peer, now: now) {
                $0.cursors[rid]?.add(credit: Int(clamping: count), now: now.uptimeMicroseconds)
            }
            enqueueSnapshot(rid, peer)
        case .cancel(let rid):
            peers.withPeer(peer, now: now) { $0.cancel(rid) }
        case .report(let rid, let report):
            guard hold(received.byteCount, of: \.reportByteCount, rid, peer, now: now, &counters) else { return nil }
            peers.withPeer(peer, now: now) { $0.report = report }
            return .report(report)
        case .fetch, .fetchBack, .digest: return admitLookup(request, from: peer, now: now, counters: &counters)
        case .replay(let rid, let origin, let incarnation, let topic, let first, let last):
            guard hasPlace(rid, peer, now: now, &counters) else { return nil }
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

    /// Admits a greeting, which says who a peer is and what it replicates.
    private mutating func admitHello(
        _ rid: UInt64, _ version: UInt64, _ name: String, _ prefixes: [Topic], _ received: ReceivedRequest,
        from peer: [UInt8], now: Moment, counters: inout Counters
    ) -> Question? {
        guard let spoken = configuration.versions.answer(to: version) else {
            let message =
                "this \(configuration.role) speaks version \(configuration.versions.text), not \(version); "
                + "update the older side"
            refuse(rid, .version, message, peer, now: now, &counters)
            return nil
        }
        guard prefixes.count <= WireLimits.prefixCountMax else {
            let message = "more than \(WireLimits.prefixCountMax) prefixes: select fewer types, or everything"
            refuse(rid, .limit, message, peer, now: now, &counters)
            return nil
        }
        guard received.stream != "" else {
            let message =
                "this \(configuration.role) can bind no stream for what this key may read: its log says why"
            refuse(rid, .limit, message, peer, now: now, &counters)
            return nil
        }
        guard spend(\.questions, of: configuration.budget.questions, rid, peer, now: now, &counters),
            hasPlace(rid, peer, now: now, &counters),
            hold(received.byteCount, of: \.helloByteCount, rid, peer, now: now, &counters)
        else { return nil }
        peers.withPeer(peer, now: now) {
            $0.name = name
            $0.prefixes = prefixes
        }
        return .hello(rid: rid, version: spoken, stream: received.stream ?? configuration.streamEndpoint)
    }

    /// Admits requests that look at many models, bounded in size or rate.
    private mutating func admitLookup(
        _ request: ControlRequest, from peer: [UInt8], now: Moment, counters: inout Counters
    ) -> Question? {
        switch request {
        case .fetch(let rid, let type, let ids), .fetchBack(let rid, let type, let ids, _):
            let idCountMax = configuration.budget.fetchIDCount
            guard ids.count <= idCountMax else {
                refuse(
                    rid, .limit, "\(ids.count) ids; at most \(idCountMax) at once", peer, now: now, &counters)
                return nil
            }
            // The cost of looking for the ids; the records that are found are paid for when their size is known.
            let cost = UInt64((16 << 10) + 64 * ids.count)
            guard spend(\.answerBytes, cost, of: configuration.budget.answerBytes, rid, peer, now: now, &counters),
                hasPlace(rid, peer, now: now, &counters)
            else { return nil }
            guard case .fetchBack(_, _, _, let milliseconds) = request else {
                return .fetch(rid: rid, type: type, ids: ids)
            }
            return .fetchBack(rid: rid, type: type, ids: ids, milliseconds: milliseconds)
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
            guard isAffordable, hasPlace(rid, peer, now: now, &counters) else { return nil }
            return .digest(rid: rid, type: type, bits: Int(bits))
        default: return nil
        }
    }

    /// Answers a question that was admitted; the owner answers replays, pushes and reports by itself. What the peer may
    /// not read looks like what does not exist.
    mutating func answer(
        _ question: Question, to peer: [UInt8], _ rights: Rights, with all: Served, now: Moment,
        counters: inout Counters
    ) {
        var served = all
        served.heads = all.heads.readable(by: rights, of: configuration.name)
        switch question {
        case .hello(let rid, let version, let stream): welcome(rid, version, stream, peer, rights, served)
        case .snapshot(let rid, _, .heads): enqueue(.replies([.complete(rid: rid, heads: served.heads)]), rid, peer)
        case .snapshot(let rid, let prefixes, let extent):
            beginSnapshot(rid, prefixes: prefixes, extent, peer, rights, served, now: now, counters: &counters)
        case .fetch(let rid, let type, let ids), .fetchBack(let rid, let type, let ids, _):
            if !rights.mayRead(type) { served.cache = ControlService.nothing }
            fetch(rid, type: type, ids: ids, peer, served, now: now, counters: &counters)
        case .digest(let rid, let type, let bits):
            if !rights.mayRead(type) { served.cache = ControlService.nothing }
            guard bits > 8 else {
                let digests = served.cache.digests(of: type, bits: bits)
                return enqueue(.replies([.digests(rid: rid, heads: served.heads, digests: digests)]), rid, peer)
            }
            enqueue(.digests(served.cache.snapshot(), type: type, bits: bits, heads: served.heads), rid, peer)
        case .replay, .push, .report: break
        }
    }

    /// Sends a small reply at once, before the answers that wait for their turn.
    mutating func reply(_ peer: [UInt8], _ reply: ControlReply, now: Moment) { append(peer, reply.encode(), now: now) }

    mutating func append(_ peer: [UInt8], _ payload: [UInt8], now: Moment) {
        underWay.add(payload.count, for: peer, of: boundKey(of: peer), now: now)
        replies.append(Reply(peer: peer, payload: payload))
    }

    /// The copy of those who may read nothing.
    private static let nothing = ModelCache()

    private mutating func welcome(
        _ rid: UInt64, _ version: UInt64, _ stream: String, _ peer: [UInt8], _ rights: Rights, _ served: Served
    ) {
        // The types get a sixteenth of the frame, which is more than any deployment needs.
        var left = configuration.limits.frameByteCount / 16
        let types = served.cache.types.filter(rights.mayRead).sorted().prefix { type in
            left -= type.utf8.count + 2
            return left > 0
        }
        let reply = ControlReply.welcome(
            rid: rid, version: version, name: configuration.name, streamEndpoint: stream,
            heartbeatMilliseconds: configuration.heartbeatInterval.wholeMicroseconds / 1000,
            frameLimit: UInt64(configuration.limits.frameByteCount), heads: served.heads, types: Array(types))
        enqueue(.replies([reply]), rid, peer)
    }
}
