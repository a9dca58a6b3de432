import ModelCache
import ModelWire

extension ControlService {
    mutating func beginSnapshot(
        _ rid: UInt64, prefixes: [[UInt8]], credit: Int, _ peer: [UInt8], _ served: Served, now: Moment,
        counters: inout Counters
    ) {
        // The heads were read first: whatever is newer reaches the replica on the stream.
        let cursor = SnapshotCursor(
            snapshot: served.cache.snapshot(), prefixes: prefixes, heads: served.heads, credit: credit,
            byteCountMax: configuration.chunkByteCount, now: now.uptimeMicroseconds)
        peers.withPeer(peer, now: now) { $0.cursors[rid] = cursor }
        counters[.snapshotsServed] += 1
        serve(rid, to: peer, now: now, &counters)
    }

    /// Whether one more snapshot may begin; one that has the same number as another takes its place.
    mutating func admitSnapshot(
        _ rid: UInt64, _ peer: [UInt8], now: Moment, _ counters: inout Counters
    ) -> Bool {
        let budget = configuration.budget
        guard spend(\.snapshots, of: budget.snapshots, rid, peer, now: now, &counters) else { return false }
        let underWay = peers.withPeer(peer, now: now) { $0.cursors[rid] == nil ? $0.cursors.count : 0 }
        guard underWay < budget.cursorsPerPeer else {
            refuse(rid, .busy, "\(underWay) snapshots are under way to this peer", peer, now: now, &counters)
            return false
        }
        guard peers.cursorCount < budget.cursorCount else {
            refuse(rid, .busy, "\(peers.cursorCount) snapshots are under way", peer, now: now, &counters)
            return false
        }
        return true
    }

    /// Sends as many chunks as there is credit for.
    mutating func serve(_ rid: UInt64, to peer: [UInt8], now: Moment, _ counters: inout Counters) {
        let replies = peers.withPeer(peer, now: now) { peer -> [ControlReply] in
            guard var cursor = peer.cursors.removeValue(forKey: rid) else { return [] }
            var replies: [ControlReply] = []
            while cursor.credit > 0 {
                guard let chunk = cursor.nextChunk() else {
                    replies.append(.complete(rid: rid, heads: cursor.heads))
                    return replies
                }
                replies.append(.records(rid: rid, type: chunk.type, records: chunk.records))
            }
            peer.cursors[rid] = cursor
            return replies
        }
        for message in replies {
            if case .complete = message {
                replyFitting(peer, message, now: now, &counters)
            } else {
                reply(peer, message)
            }
        }
    }
}
