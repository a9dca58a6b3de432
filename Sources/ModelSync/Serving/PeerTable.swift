/// The peers of an origin or a relay.
struct PeerTable: Sendable {
    /// How many peers are remembered. A new peer beyond that takes the place of the one that was silent longest: of
    /// those that are served nothing and have never reported, then of those that are served nothing, then of all.
    var peerCountMax = 4096
    private(set) var byIdentity: [[UInt8]: Peer] = [:]
    /// How many snapshots are under way to all peers.
    private(set) var cursorCount = 0
    /// How many other answers are under way to all peers.
    private(set) var answerCount = 0
    /// How much is remembered of all peers, in bytes as they were sent.
    private(set) var heldByteCount = 0

    /// Takes note of a sign of life of a peer, and hands the peer out to be changed.
    mutating func withPeer<R>(_ identity: [UInt8], now: Moment, _ body: (inout Peer) -> R) -> R {
        if byIdentity[identity] == nil, byIdentity.count >= peerCountMax,
            let oldest = byIdentity.min(by: { $0.value.standing < $1.value.standing })
        {
            forget(oldest.key)
        }
        var peer = byIdentity[identity] ?? Peer(identity: identity, name: "", lastHeard: now.uptimeMicroseconds)
        peer.lastHeard = now.uptimeMicroseconds
        byIdentity[identity] = nil  // So that the cursors are not copied while they change.
        return change(&peer, body)
    }

    /// Hands a peer out to be changed, if it is known. This is no sign of life.
    @discardableResult
    mutating func withKnownPeer<R>(_ identity: [UInt8], _ body: (inout Peer) -> R) -> R? {
        guard var peer = byIdentity.removeValue(forKey: identity) else { return nil }
        return change(&peer, body)
    }

    private mutating func change<R>(_ peer: inout Peer, _ body: (inout Peer) -> R) -> R {
        let before = (peer.cursors.count, peer.answerCount)
        let result = body(&peer)
        cursorCount += peer.cursors.count - before.0
        answerCount += peer.answerCount - before.1
        byIdentity[peer.identity] = peer
        return result
    }

    /// Remembers so many bytes of a peer, in place of those before.
    /// - Returns: false where more than `byteCountMax` would then be remembered of all peers together.
    mutating func hold(
        _ byteCount: Int, of kind: WritableKeyPath<Peer, Int>, _ identity: [UInt8], now: Moment, byteCountMax: Int
    ) -> Bool {
        let more = byteCount - withPeer(identity, now: now) { $0[keyPath: kind] }
        guard more <= 0 || heldByteCount + more <= byteCountMax else { return false }
        heldByteCount += more
        withPeer(identity, now: now) { $0[keyPath: kind] = byteCount }
        return true
    }

    /// Takes note that a pushed batch waits no longer.
    /// - Returns: false when the peer is gone.
    mutating func finishPush(of identity: [UInt8]) -> Bool {
        guard let count = byIdentity[identity]?.pushCount else { return false }
        byIdentity[identity]?.pushCount = max(count - 1, 0)
        return true
    }

    mutating func forget(_ identity: [UInt8]) {
        guard let peer = byIdentity.removeValue(forKey: identity) else { return }
        cursorCount -= peer.cursors.count
        answerCount -= peer.answerCount
        heldByteCount -= peer.heldByteCount
    }

    mutating func forgetSilent(since now: Moment, timeout: Duration) {
        let limit = timeout.wholeMicroseconds
        let time = now.uptimeMicroseconds
        for (identity, peer) in byIdentity where time.subtractingOrZero(peer.lastHeard) > limit { forget(identity) }
    }

    /// Gives up snapshots of which no chunk could be sent since a time.
    /// - Returns: how many were given up.
    mutating func abandonCursors(unusedSince time: UInt64) -> Int {
        var count = 0
        for (identity, peer) in byIdentity {
            for (rid, cursor) in peer.cursors where cursor.lastUse < time {
                byIdentity[identity]?.cursors[rid] = nil
                count += 1
            }
        }
        cursorCount -= count
        return count
    }
}
