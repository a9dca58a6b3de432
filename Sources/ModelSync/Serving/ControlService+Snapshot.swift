import ModelCache
import ModelGrants
import ModelWire

extension ControlService {
    mutating func beginSnapshot(
        _ rid: UInt64, prefixes: PrefixSet, _ extent: SnapshotExtent, _ peer: [UInt8], _ rights: Rights,
        _ served: Served,
        now: Moment, counters: inout Counters
    ) {
        nextSerial += 1
        // The heads were read first: whatever is newer reaches the replica on the stream.
        let walk = SnapshotWalk(
            snapshot: served.cache.snapshot(), prefixes: prefixes, extent: extent, rights: rights,
            frameByteCount: configuration.limits.frameByteCount)
        let cursor = SnapshotCursor(
            walk, serial: nextSerial, heads: served.heads, credit: extent.credit, now: now.uptimeMicroseconds)
        peers.withPeer(peer, now: now) { peer in
            peer.cancel(rid)
            peer.cursors[rid] = cursor
        }
        counters[.snapshotsServed] += 1
        enqueueSnapshot(rid, peer)
    }

    /// Whether one more snapshot may begin; refuses the request where not. A snapshot with the number of another takes
    /// its place.
    mutating func admitSnapshot(
        _ rid: UInt64, prefixCount: Int, _ peer: [UInt8], now: Moment, _ counters: inout Counters
    ) -> Bool {
        let budget = configuration.budget
        guard prefixCount <= WireLimits.prefixCountMax else {
            refuse(
                rid, .limit, "more than \(WireLimits.prefixCountMax) prefixes: ask in several requests", peer,
                now: now, &counters)
            return false
        }
        // Sixteen prefixes more cost as much as another snapshot.
        let cost = 1 + UInt64(prefixCount / 16)
        guard spend(\.snapshots, cost, of: budget.snapshots, rid, peer, now: now, &counters) else { return false }
        let count = peers.withPeer(peer, now: now) { $0.cursors[rid] == nil ? $0.cursors.count : 0 }
        guard count < budget.cursorsPerPeer else {
            refuse(rid, .busy, "\(count) snapshots are under way to this peer", peer, now: now, &counters)
            return false
        }
        // A peer without a snapshot may always begin one, so that others cannot shut it out.
        guard count == 0 || peers.cursorCount < budget.cursorCount else {
            refuse(rid, .busy, "\(peers.cursorCount) snapshots are under way", peer, now: now, &counters)
            return false
        }
        return true
    }

    /// Takes note of fields of a model that are larger than a message: no peer gets them by an answer, only by the
    /// stream. Logged once for a model.
    mutating func note(_ model: RecordChunking.Unsendable, type: String, _ counters: inout Counters) {
        counters[.unsendableFields] += UInt64(model.fields.count)
        guard toldUnsendable.count < ControlService.toldCountMax,
            toldUnsendable.insert("\(type)/\(model.id)").inserted
        else { return }
        notices.append(
            Notice(
                kind: .unsendable,
                metadata: [
                    "type": type, "id": model.id, "fields": model.fields.prefix(8).joined(separator: " "),
                    "frame_bytes": "\(configuration.limits.frameByteCount)",
                    "advice": "raise frameByteCount here and at all peers, or write smaller values",
                ]))
    }

    /// How many models are logged; more are only counted.
    private static let toldCountMax = 256
}
