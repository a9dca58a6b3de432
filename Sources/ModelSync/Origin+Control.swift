import ModelCache
import ModelRecord
import ModelWire

extension Origin {
    /// Answers one request.
    /// - Parameters:
    ///   - peer: the routing identity of the connection that it came from.
    ///   - payload: any bytes; what is not a request is counted and answered with `malformed`.
    public mutating func receive(_ payload: Span<UInt8>, from peer: [UInt8], now: Moment) {
        let request: ControlRequest
        do {
            request = try ControlRequest(decoding: payload, limits: configuration.limits)
        } catch {
            counters[.malformedFrames] += 1
            return reply(peer, .error(rid: 0, code: .malformed, message: error.description))
        }
        switch request {
        case .hello(let rid, let version, let name, let prefixes):
            hello(rid, version: version, name: name, prefixes: prefixes, peer: peer, now: now)
        case .snapshot(let rid, let prefixes, let credit):
            beginSnapshot(rid, prefixes: prefixes.map(\.bytes), credit: Int(clamping: credit), peer: peer, now: now)
        case .credit(let rid, let count):
            peers.withPeer(peer, now: now) { $0.cursors[rid]?.add(credit: Int(clamping: count)) }
            serve(rid, to: peer, now: now)
        case .cancel(let rid):
            peers.withPeer(peer, now: now) { _ = $0.cursors.removeValue(forKey: rid) }
        case .report(_, let report):
            peers.withPeer(peer, now: now) { $0.report = report }
        case .fetch(let rid, let type, let ids):
            fetch(rid, type: type, ids: ids, peer: peer, now: now)
        case .digest(let rid, let type, let bits):
            digest(rid, type: type, bits: Int(clamping: bits), peer: peer, now: now)
        case .replay(let rid, _, _, _, _, _):
            // Nothing is held for replay: the replica goes on to the next rung of its ladder.
            reply(peer, .gone(rid: rid, oldest: 0))
        case .push(let rid, _, _):
            refuse(rid, .denied, "this is a publisher; push goes to a relay", peer)
        case .unknown(let method, let rid):
            counters[.unknownKinds] += 1
            refuse(rid, .malformed, "method \(method) is not known to protocol version 1", peer)
        }
    }

    /// The control connection of a peer is gone, or its replies cannot be delivered.
    public mutating func disconnected(_ peer: [UInt8]) { peers.forget(peer) }

    /// The replicas that have spoken to this origin and were heard of lately.
    public var connectedPeers: [Peer] { Array(peers.byIdentity.values) }

    /// The peer has reported as applied everything that was sent on the topics that it takes.
    public func isApplied(by peer: Peer) -> Bool {
        topics.allSatisfy { state in
            state.head == 0 || !peer.isInterested(in: state.topic)
                || peer.applied(state.topic, origin: configuration.name, incarnation: incarnation) >= state.head
        }
    }

    private mutating func refuse(_ rid: UInt64, _ code: ControlErrorCode, _ message: String, _ peer: [UInt8]) {
        counters[.requestsRefused] += 1
        reply(peer, .error(rid: rid, code: code, message: message))
    }

    private mutating func hello(
        _ rid: UInt64, version: UInt64, name: String, prefixes: [Topic], peer: [UInt8], now: Moment
    ) {
        guard version == 1 else {
            return refuse(rid, .version, "this publisher speaks version 1, not \(version); update the older side", peer)
        }
        peers.withPeer(peer, now: now) {
            $0.name = name
            $0.prefixes = prefixes
        }
        flush()
        reply(
            peer,
            .welcome(
                rid: rid, version: 1, name: configuration.name, streamEndpoint: configuration.streamEndpoint,
                heartbeatMilliseconds: configuration.heartbeatInterval.wholeMicroseconds / 1000,
                frameLimit: UInt64(configuration.limits.frameByteCount), heads: [heads(all: true, now: now)]))
    }

    private mutating func beginSnapshot(_ rid: UInt64, prefixes: [[UInt8]], credit: Int, peer: [UInt8], now: Moment) {
        flush()
        // The heads are read first: whatever is newer reaches the replica on the stream.
        let heads = heads(all: true, prefixes: prefixes, now: now)
        let cursor = SnapshotCursor(
            snapshot: cache.snapshot(), prefixes: prefixes, heads: heads, credit: credit,
            byteCountMax: configuration.chunkByteCount)
        let isTooMany = peers.withPeer(peer, now: now) { peer in
            guard peer.cursors.count < PeerTable.cursorCountMax else { return true }
            peer.cursors[rid] = cursor
            return false
        }
        if isTooMany { return refuse(rid, .busy, "\(PeerTable.cursorCountMax) snapshots are under way already", peer) }
        counters[.snapshotsServed] += 1
        serve(rid, to: peer, now: now)
    }

    /// Sends as many chunks as there is credit for.
    private mutating func serve(_ rid: UInt64, to peer: [UInt8], now: Moment) {
        let replies = peers.withPeer(peer, now: now) { peer -> [ControlReply] in
            guard var cursor = peer.cursors.removeValue(forKey: rid) else { return [] }
            var replies: [ControlReply] = []
            while cursor.credit > 0 {
                guard let chunk = cursor.nextChunk() else {
                    replies.append(.complete(rid: rid, heads: [cursor.heads]))
                    return replies
                }
                replies.append(.records(rid: rid, type: chunk.type, records: chunk.records))
            }
            peer.cursors[rid] = cursor
            return replies
        }
        for message in replies { reply(peer, message) }
    }

    private mutating func fetch(_ rid: UInt64, type: String, ids: [String], peer: [UInt8], now: Moment) {
        flush()
        let heads = heads(all: true, now: now)
        var chunk: [Record] = []
        var byteCount = 0
        for id in ids {
            guard let record = cache.record(type: type, id: id, includingTombstones: true) else { continue }
            if !chunk.isEmpty, byteCount + record.byteCount > configuration.chunkByteCount {
                reply(peer, .records(rid: rid, type: type, records: chunk))
                chunk = []
                byteCount = 0
            }
            chunk.append(record)
            byteCount += record.byteCount
        }
        if !chunk.isEmpty { reply(peer, .records(rid: rid, type: type, records: chunk)) }
        reply(peer, .complete(rid: rid, heads: [heads]))
    }

    private mutating func digest(_ rid: UInt64, type: String, bits: Int, peer: [UInt8], now: Moment) {
        guard (0...16).contains(bits) else {
            return refuse(rid, .limit, "a digest has 0 to 16 bits, not \(bits)", peer)
        }
        flush()
        let heads = heads(all: true, now: now)
        reply(peer, .digests(rid: rid, heads: [heads], digests: cache.digests(of: type, bits: bits)))
    }
}
