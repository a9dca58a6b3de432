public import ModelWire

/// Pushed batches that are merged and not durable yet.
struct PendingPushes: Sendable {
    struct Batch: Hashable, Sendable {
        let stream: ReplayRing.Stream
        let sequence: UInt64
    }

    struct Waiter: Sendable {
        let peer: [UInt8]
        let rid: UInt64
    }

    private var waiters: [UInt64: (batch: Batch, waiters: [Waiter])] = [:]
    private var tokens: [Batch: UInt64] = [:]
    private var nextToken: UInt64 = 1

    /// Adds who waits for a batch.
    /// - Returns: the token under which it is to be made durable; nil when it is being made durable already.
    mutating func wait(_ waiter: Waiter, for batch: Batch) -> UInt64? {
        if let token = tokens[batch] {
            waiters[token]?.waiters.append(waiter)
            return nil
        }
        let token = nextToken
        nextToken += 1
        tokens[batch] = token
        waiters[token] = (batch, [waiter])
        return token
    }

    /// Whoever waited, once: the batch is durable, or is not going to be.
    mutating func finish(_ token: UInt64) -> [Waiter] {
        guard let (batch, waiters) = waiters.removeValue(forKey: token) else { return [] }
        tokens[batch] = nil
        return waiters
    }
}

extension Relay {
    /// Merges a pushed batch and acknowledges it, at once or when it is durable.
    ///
    /// A batch must be the next of its stream, or one that is here already, which is acknowledged again. A relay with a
    /// store makes that durable again, too: what failed the first time must not be acknowledged the second time.
    func push(_ rid: UInt64, _ topic: Topic, _ payload: [UInt8], from peer: [UInt8], now: Moment) {
        let waiting = service.peers.withPeer(peer, now: now) { $0.pushCount }
        guard waiting < configuration.budget.pushesPerPeer else {
            let message = "\(waiting) batches of this peer wait to be durable"
            return service.refuse(rid, .busy, message, peer, now: now, &counters)
        }
        guard replica.streams.count < configuration.budget.pushedStreamCount || isKnown(topic, payload) else {
            let message = "more than \(configuration.budget.pushedStreamCount) streams; use fewer origins or types"
            return service.refuse(rid, .limit, message, peer, now: now, &counters)
        }
        let arrival = replica.receivePushed(topic: topic.bytes.span, payload: payload.span, now: now)
        collect(now: now)
        if case .refused(let code, let message) = arrival {
            return service.refuse(rid, code, message, peer, now: now, &counters)
        }
        let (origin, incarnation, sequence) = (
            replica.decoder.origin, replica.decoder.incarnation, replica.decoder.sequence
        )
        sources.note(
            origin, incarnation: incarnation, stamp: replica.decoder.lastStamp, at: now.uptimeMicroseconds)
        guard configuration.acknowledgesAfterPersisting else { return acknowledge(rid, peer) }
        let stream = ReplayRing.Stream(origin: origin, incarnation: incarnation, topic: topic)
        service.peers.withPeer(peer, now: now) { $0.pushCount += 1 }
        let waiter = PendingPushes.Waiter(peer: peer, rid: rid)
        guard let token = pushes.wait(waiter, for: PendingPushes.Batch(stream: stream, sequence: sequence)) else {
            return
        }
        actions.append(
            .persist(
                token: token, topic: topic, payload: payload, origin: origin, incarnation: incarnation,
                sequence: sequence))
    }

    /// Goes on from the state of an earlier run, which the cache holds up to these positions.
    /// - Parameter batches: acknowledged batches that may lie beyond them, in the order in which they were stored. They
    ///   are sent on and kept for replay like pushed ones.
    public func restore(
        _ positions: [StreamPosition], batches: [(topic: Topic, payload: [UInt8])] = [], now: Moment
    ) {
        replica.restore(positions, now: now)
        for batch in batches { replica.restore(batch: batch.payload.span, on: batch.topic, now: now) }
        collect(now: now)
    }

    /// The batch of a ``RelayAction/persist(token:topic:payload:origin:incarnation:sequence:)`` is durable.
    public func persisted(_ token: UInt64) {
        for waiter in pushes.finish(token) where service.peers.finishPush(of: waiter.peer) {
            acknowledge(waiter.rid, waiter.peer)
        }
        takeReplies()
    }

    /// The batch could not be made durable: its pushers are told the reason and push again.
    public func persistFailed(_ token: UInt64, reason: String, now: Moment) {
        for waiter in pushes.finish(token) where service.peers.finishPush(of: waiter.peer) {
            service.refuse(waiter.rid, .internalError, reason, waiter.peer, now: now, &counters)
        }
        takeReplies()
    }

    private func acknowledge(_ rid: UInt64, _ peer: [UInt8]) {
        counters[.pushesAcknowledged] += 1
        service.reply(peer, .accepted(rid: rid))
    }

    private func isKnown(_ topic: Topic, _ payload: [UInt8]) -> Bool {
        var decoder = BatchDecoder(limits: configuration.limits)
        guard (try? decoder.decode(payload.span)) != nil else { return true }
        return replica.streams[StreamKey(origin: decoder.origin, topic: topic)] != nil
    }
}
