import ModelGrants
import ModelWire

extension ControlService {
    /// Whether a request is within the limits of the key of its sender, all its connections together; refuses it where
    /// not. What only ends or goes on with an answer costs nothing, and pushes have limits of their own.
    mutating func isWithinLimits(
        _ request: ControlRequest, _ received: ReceivedRequest, _ peer: [UInt8], now: Moment,
        _ counters: inout Counters
    ) -> Bool {
        let grantee = received.grantee
        boundAnswers(to: peer, of: grantee, now: now)
        guard !grantee.limits.isEmpty else { return true }
        if received.isExcess {
            let message = grantee.message(
                .connections, "connections to this \(configuration.role); end another, or raise it in the grants")
            refuse(request.rid, .limit, message, peer, now: now, &counters)
            noteRefusal(by: .connections, of: grantee, now: now)
            return false
        }
        switch request {
        case .credit, .cancel, .report, .push: return true
        case .hello, .snapshot, .heads, .ids, .fetch, .fetchBack, .digest, .replay, .unknown:
            guard let message = accounts.takeRequest(of: grantee, now: now) else { return true }
            refuse(request.rid, .busy, message, peer, now: now, &counters)
            noteRefusal(by: .requests, of: grantee, now: now)
            return false
        }
    }

    /// Tells the log once in a while that a key was refused something by a limit of its grant.
    mutating func noteRefusal(by limit: KeyLimit, of grantee: Grantee, now: Moment) {
        guard let count = accounts.noteRefusal(by: limit, of: grantee, now: now) else { return }
        let word = "\(limit.rawValue)=\(grantee.limits[limit] ?? 0)"
        notices.append(
            Notice(kind: .limited, metadata: ["key": grantee.name, "limit": word, "refused": "\(count)"]))
    }

    /// Bounds what is under way to the peer and the other connections of its key, or takes such a bound away.
    private mutating func boundAnswers(to peer: [UInt8], of grantee: Grantee, now: Moment) {
        let byteCountMax = grantee.limits[.underWay]
        if let byteCountMax { underWay.bound(grantee.key, to: byteCountMax) }
        let key = byteCountMax == nil ? nil : grantee.key
        guard key != nil || underWay.boundsKeys, peers.byIdentity[peer]?.boundKey != key else { return }
        peers.withPeer(peer, now: now) { $0.boundKey = key }
    }

    /// The key of a peer, where that bounds what is under way to it.
    func boundKey(of peer: [UInt8]) -> String? { underWay.boundsKeys ? peers.byIdentity[peer]?.boundKey : nil }

    /// Takes something out of the budget of a peer, and refuses the request where that is used up.
    /// - Returns: false where the request was refused.
    mutating func spend(
        _ bucket: WritableKeyPath<PeerBudget, TokenBucket>, _ count: UInt64 = 1, of rate: RequestBudget.Rate,
        _ rid: UInt64, _ peer: [UInt8], now: Moment, _ counters: inout Counters
    ) -> Bool {
        let isThere = peers.withPeer(peer, now: now) {
            $0.budget[keyPath: bucket].take(count, of: rate, at: now.uptimeMicroseconds)
        }
        if !isThere {
            refuse(rid, .busy, "asked too often; try again in a second", peer, now: now, &counters)
        }
        return isThere
    }

    /// Whether one more answer to this peer may wait; refuses the request where not. A peer without one may always have
    /// one, so that others cannot shut it out.
    mutating func hasPlace(_ rid: UInt64, _ peer: [UInt8], now: Moment, _ counters: inout Counters) -> Bool {
        let (budget, count) = (configuration.budget, peers.withPeer(peer, now: now) { $0.answerCount })
        let isFull = count >= budget.answersPerPeer || peers.answerCount >= budget.answerCount
        guard count > 0, isFull else { return true }
        refuse(rid, .busy, "\(count) answers wait for this peer to take others", peer, now: now, &counters)
        return false
    }

    /// Remembers so many bytes of a peer, in place of those of its last such request. Refuses the request where all
    /// peers together have filled their share.
    mutating func hold(
        _ byteCount: Int, of kind: WritableKeyPath<Peer, Int>, _ rid: UInt64, _ peer: [UInt8], now: Moment,
        _ counters: inout Counters
    ) -> Bool {
        if peers.hold(byteCount, of: kind, peer, now: now, byteCountMax: configuration.budget.reportByteCount) {
            return true
        }
        refuse(rid, .busy, "too much is remembered of too many peers", peer, now: now, &counters)
        return false
    }

    /// Refuses a request with a reason, or without an answer where the peer has been told too many errors.
    mutating func refuse(
        _ rid: UInt64, _ code: ControlErrorCode, _ message: String, _ peer: [UInt8], now: Moment,
        _ counters: inout Counters
    ) {
        counters[.requestsRefused] += 1
        counters[code.counter] += 1
        let rate = configuration.budget.errors
        let (isTold, title) = peers.withPeer(peer, now: now) { peer in
            peer.tally.refusedCount += 1
            if code == .denied { peer.tally.deniedCount += 1 }
            return (peer.budget.errors.take(of: rate, at: now.uptimeMicroseconds), peer.title)
        }
        errors.clock = now.wallMilliseconds
        errors.note(code.rawValue, of: title, message)
        guard isTold, underWay.hasRoomForMore(for: peer) else {
            counters[.requestsIgnored] += 1
            return
        }
        // A text is bounded, because the frame is.
        reply(peer, .error(rid: rid, code: code, message: String(message.prefix(500))), now: now)
    }

    /// Counts clients that were not let in.
    mutating func note(_ refused: [RefusedClients], now: Moment, _ counters: inout Counters) {
        errors.clock = now.wallMilliseconds
        for clients in refused {
            counters[.refusedClients] += clients.count
            let key = clients.key.map { ", key \($0)" } ?? ""
            errors.note("refused client", of: "strangers", clients.reason + key, count: clients.count)
        }
    }

    /// Forgets peers that are silent, and gives up snapshots that make no progress.
    mutating func tick(now: Moment, peerTimeout: Duration, counters: inout Counters) {
        peers.forgetSilent(since: now, timeout: peerTimeout)
        lookAgainAtCrowded()
        let timeout = configuration.budget.cursorTimeout.wholeMicroseconds
        guard peers.cursorCount > 0, now.uptimeMicroseconds > timeout else { return }
        counters[.snapshotsAbandoned] += UInt64(peers.abandonCursors(unusedSince: now.uptimeMicroseconds - timeout))
    }
}

extension ControlErrorCode {
    /// The counter of requests that were refused for this reason.
    var counter: Counters.Name {
        switch self {
        case .version: .requestsVersion
        case .denied: .requestsDenied
        case .busy: .requestsBusy
        case .limit: .requestsLimit
        case .malformed: .requestsMalformed
        case .unknownOrigin: .requestsUnknownOrigin
        case .unknownTopic: .requestsUnknownTopic
        case _: .requestsInternal
        }
    }
}
