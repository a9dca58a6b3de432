/// The peers of an origin.
struct PeerTable: Sendable {
    /// How many peers are remembered. Where one must make way it is the one that was silent longest: of those that are
    /// served nothing and have never reported, if there are such, then of those that are served nothing.
    var peerCountMax = 4096
    private(set) var byIdentity: [[UInt8]: Peer] = [:]
    /// The snapshots that are under way to all peers.
    private(set) var cursorCount = 0
    /// The other answers that are under way to all peers.
    private(set) var answerCount = 0
    /// What is remembered of all peers, in bytes as they were sent.
    private(set) var heldByteCount = 0

    /// Takes note of a sign of life and hands out the peer to change.
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

    /// Hands out a peer to change, if it is known. That is no sign of life.
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

    /// Remembers so many bytes of a peer in place of those before.
    /// - Returns: false where all peers together would then be remembered with more than `byteCountMax`.
    mutating func hold(
        _ byteCount: Int, of kind: WritableKeyPath<Peer, Int>, _ identity: [UInt8], now: Moment, byteCountMax: Int
    ) -> Bool {
        let more = byteCount - withPeer(identity, now: now) { $0[keyPath: kind] }
        guard more <= 0 || heldByteCount + more <= byteCountMax else { return false }
        heldByteCount += more
        withPeer(identity, now: now) { $0[keyPath: kind] = byteCount }
        return true
    }

    /// A pushed batch waits no longer.
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

    /// Gives up snapshots that were given no credit for too long.
    /// - Returns: how many.
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
