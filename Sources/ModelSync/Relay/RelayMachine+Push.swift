import ModelGrants
import ModelWire

/// The pushed batches that are on their way to the disk. They are not merged yet, so that nobody sees what a crash
/// could take back.
struct PendingPushes: Sendable {
    struct BatchName: Hashable, Sendable {
        let stream: ReplayRing.Stream
        let sequence: UInt64
    }

    struct Waiter: Sendable {
        let peer: [UInt8]
        let rid: UInt64
    }

    /// A batch as it came, and the requests that wait for it.
    struct Entry: Sendable {
        let batch: BatchName
        let payload: [UInt8]
        fileprivate(set) var waiters: [Waiter]
        /// The key that pushed it, where that has limits, with what the batch adds to what it holds.
        let creation: Creation?
    }

    /// The key that pushed a batch, and what the batch adds to what it holds.
    struct Creation {
        let key: String
        let amount: CreatedAmount
        /// The batch is a part of a transaction.
        let part: PushedPart?
    }

    private var entries: [UInt64: Entry] = [:]
    private var tokens: [BatchName: UInt64] = [:]
    private var last: [ReplayRing.Stream: UInt64] = [:]
    private var nextToken: UInt64 = 1
    /// The bytes of the batches that wait.
    private(set) var byteCount = 0

    /// The streams of which batches wait.
    var streams: some Collection<ReplayRing.Stream> { last.keys }

    /// The greatest sequence of a stream that waits; 0 where none does.
    func last(of stream: ReplayRing.Stream) -> UInt64 { last[stream] ?? 0 }

    /// Adds a request that waits for a batch.
    /// - Returns: the token under which the batch is to be made durable; nil when that is under way already.
    mutating func wait(
        _ waiter: Waiter, for batch: BatchName, payload: [UInt8], creation: Creation?
    ) -> UInt64? {
        if let token = tokens[batch] {
            entries[token]?.waiters.append(waiter)
            return nil
        }
        let token = nextToken
        nextToken += 1
        tokens[batch] = token
        byteCount += payload.count
        entries[token] = Entry(batch: batch, payload: payload, waiters: [waiter], creation: creation)
        last[batch.stream] = max(last(of: batch.stream), batch.sequence)
        return token
    }

    /// The first sum that does not hold; for tests.
    func brokenInvariant() -> String? {
        if tokens.count != entries.count { return "pushed batches wait that nobody can find, or the reverse" }
        return last.count > entries.count ? "streams are remembered of which no batch waits" : nil
    }

    /// Removes a batch that is durable, or is not going to be.
    /// - Parameter isDurable: whether it is durable. If not, the batches behind it are not the next of their stream any
    ///   more.
    mutating func finish(_ token: UInt64, isDurable: Bool) -> Entry? {
        guard let entry = entries.removeValue(forKey: token) else { return nil }
        tokens[entry.batch] = nil
        byteCount -= entry.payload.count
        let stream = entry.batch.stream
        if !isDurable || last(of: stream) == entry.batch.sequence { last[stream] = nil }
        return entry
    }
}

extension RelayMachine {
    /// Merges a pushed batch and acknowledges it: at once, or with a store when the batch is durable.
    ///
    /// A batch must be the next of its stream, or one that is here already, which is acknowledged again. A relay with a
    /// store makes that durable, too: it may have come from another relay. Nothing of a batch is merged, sent on or
    /// served before it is durable: a process that has seen it could not be told that it was taken back.
    func push(
        _ rid: UInt64, _ topic: Topic, _ payload: [UInt8], from peer: [UInt8], _ grantee: Grantee, now: Moment
    ) {
        let waiting = service.peers.withPeer(peer, now: now) { $0.pushCount }
        guard waiting < configuration.budget.pushesPerPeer else {
            let message = "\(waiting) batches of this peer wait to be durable"
            return service.refuse(rid, .busy, message, peer, now: now, &counters)
        }
        if let message = service.accounts.refusalOfUpdates(of: grantee, now: now) {
            service.noteRefusal(by: .rate, of: grantee, now: now)
            return service.refuse(rid, .busy, message, peer, now: now, &counters)
        }
        let begins = replica.topicCost(topic)
        if begins > 0, service.peers.withPeer(peer, now: now, { $0.budget.topicByteCount }) + begins > topicShare {
            return answer(.tooManyTopics, PendingPushes.Waiter(peer: peer, rid: rid), now: now)
        }
        // Batches that are made durable, or held against limits, are judged before they are merged.
        var creation: PendingPushes.Creation?
        if configuration.persistsPushes || !grantee.limits.isEmpty {
            let arrival = replica.judgePushed(
                topic: topic.bytes.span, payload: payload.span, of: grantee, now: now, after: pushes.last(of:))
            collect(now: now)
            if case .refused(let code, let message) = arrival {
                return service.refuse(rid, code, message, peer, now: now, &counters)
            }
            do throws(PushRefusal) {
                if arrival == .accepted, !grantee.limits.isEmpty {
                    creation = try withinLimits(topic, payload, of: grantee, now: now)
                }
            } catch {
                if let limit = error.limit { service.noteRefusal(by: limit, of: grantee, now: now) }
                return service.refuse(rid, error.code, error.message, peer, now: now, &counters)
            }
        }
        guard configuration.persistsPushes else {
            let arrival = merge(topic, payload, of: grantee, now: now) { self.mayName(peer, $0, now: now) }
            if arrival == .accepted, let creation { note(creation) }
            if arrival == .accepted { service.peers.withKnownPeer(peer) { $0.budget.topicByteCount += begins } }
            return answer(arrival, PendingPushes.Waiter(peer: peer, rid: rid), now: now)
        }
        guard pushes.byteCount + payload.count <= configuration.budget.pendingPushByteCount else {
            let message = "\(pushes.byteCount) bytes of pushed batches wait to be durable"
            return service.refuse(rid, .busy, message, peer, now: now, &counters)
        }
        // Checked before the batch is stored, so that nothing is stored that is refused afterwards.
        let place = replica.decodedPlace(on: topic)
        let key = StreamKey(origin: place.stream.origin, topic: topic)
        if let refusal = refusal(of: key, from: peer, now: now) {
            return answer(refusal, PendingPushes.Waiter(peer: peer, rid: rid), now: now)
        }
        let batch = PendingPushes.BatchName(stream: place.stream, sequence: place.sequence)
        service.peers.withPeer(peer, now: now) { peer in
            peer.pushCount += 1
            // The first batch of a topic pays, of those that are on their way to the disk.
            if pushes.last(of: place.stream) == 0 { peer.budget.topicByteCount += begins }
        }
        let waiter = PendingPushes.Waiter(peer: peer, rid: rid)
        guard let token = pushes.wait(waiter, for: batch, payload: payload, creation: creation) else { return }
        if let creation { pushAccounts.add(creation.amount, of: creation.key, isPending: true) }
        actions.append(
            .persist(
                token: token, topic: topic, payload: payload, origin: batch.stream.origin,
                incarnation: batch.stream.incarnation, sequence: batch.sequence))
    }

    /// Why a pushed batch may not begin a stream, or a name; nil where it may, or goes on with one.
    private func refusal(of key: StreamKey, from peer: [UInt8], now: Moment) -> PushArrival? {
        // The stream is not forgotten while the batch is on its way to the disk.
        if replica.keep(key, now: now) { return nil }
        guard replica.follows(key.origin) || mayName(peer, key.origin, now: now) else { return .tooManyNames }
        return replica.isFull(for: key, now: now) ? replica.noRoom(now: now) : nil
    }

    /// How much of the room for topics that are pushed one connection may take, in bytes: what it begins stays when it
    /// has gone, so one alone must leave room to others.
    private var topicShare: Int { replica.pushedTopicsByteCountMax / 4 * 3 }

    /// Whether the peer may push under one more name; counts it, and tells it where there are grants.
    private func mayName(_ peer: [UInt8], _ origin: String, now: Moment) -> Bool {
        let (mayName, key) = service.peers.withPeer(peer, now: now) { peer in
            (peer.budget.names.take(of: configuration.budget.names, at: now.uptimeMicroseconds), peer.keyName)
        }
        if mayName, !key.isEmpty {
            let notice = Notice(kind: .nameTaken, metadata: ["origin": origin, "key": key])
            actions.append(.replica(.notice(notice)))
        }
        return mayName
    }

    /// Merges a pushed batch and sends it on.
    /// - Parameter mayName: whether the batch may begin a name; called where it would.
    private func merge(
        _ topic: Topic, _ payload: [UInt8], of grantee: Grantee = .anybody, now: Moment,
        mayName: (_ origin: String) -> Bool = { _ in true }
    ) -> PushArrival {
        let arrival = replica.receivePushed(
            topic: topic.bytes.span, payload: payload.span, of: grantee, now: now, mayName: mayName)
        if arrival == .accepted || arrival == .duplicate {
            let place = replica.decodedPlace(on: topic)
            // The stamp of a batch that is here already may be any, as nobody looks at it: none from the future counts.
            if arrival == .accepted || place.lastStamp >> 16 <= now.wallMilliseconds {
                sources.notePush(
                    of: place.stream.origin, incarnation: place.stream.incarnation, stamp: place.lastStamp,
                    at: now.uptimeMicroseconds)
            }
        }
        collect(now: now)
        return arrival
    }

    /// Tells a pusher what has become of its batch.
    private func answer(_ arrival: PushArrival, _ waiter: PendingPushes.Waiter, now: Moment) {
        switch arrival {
        case .accepted, .duplicate:
            counters[.pushesAcknowledged] += 1
            service.peers.withKnownPeer(waiter.peer) { $0.tally.pushCount += 1 }
            service.reply(waiter.peer, .accepted(rid: waiter.rid), now: now)
        case .refused(let code, let message):
            service.refuse(waiter.rid, code, message, waiter.peer, now: now, &counters)
        }
    }

    /// Goes on from the state of an earlier run, which the cache holds up to these positions.
    /// - Parameter batches: the batches that were pushed and made durable, in the order in which they were stored. A
    ///   batch that the positions do not hold is merged and sent on. The others are only kept for replay, until their
    ///   ``RelayMachineConfiguration/replayAge`` is over.
    public func restore(_ positions: [StreamPosition], batches: [DurableBatch] = [], now: Moment) {
        replica.restore(positions, now: now)
        for batch in batches {
            guard case .held = replica.restore(batch: batch.payload.span, on: batch.topic, now: now) else { continue }
            let place = replica.decodedPlace(on: batch.topic)
            let milliseconds = now.wallMilliseconds.subtractingOrZero(batch.writtenMilliseconds)
            ring.append(
                place.stream, sequence: place.sequence, payload: batch.payload, at: now.uptimeMicroseconds,
                age: .milliseconds(Int64(clamping: milliseconds)))
        }
        replica.closeEarlierGroups(now: now)
        collect(now: now, isRestoring: true)
    }

    /// Merges, sends on and acknowledges the batch of a
    /// ``RelayAction/persist(token:topic:payload:origin:incarnation:sequence:)``, which is durable now.
    public func persisted(_ token: UInt64, now: Moment) {
        guard let entry = pushes.finish(token, isDurable: true) else { return }
        if let creation = entry.creation {
            pushAccounts.finish(creation.amount, of: creation.key)
            if let part = creation.part { pushAccounts.add(part, of: creation.key) }
        }
        let arrival = merge(entry.batch.stream.topic, entry.payload, now: now)
        for waiter in entry.waiters where service.peers.finishPush(of: waiter.peer) {
            answer(arrival, waiter, now: now)
        }
        takeReplies()
    }

    /// Refuses the batch of a ``RelayAction/persist(token:topic:payload:origin:incarnation:sequence:)`` that could not
    /// be made durable: its pushers are told the reason, and push it again.
    public func persistFailed(_ token: UInt64, reason: String, now: Moment) {
        guard let entry = pushes.finish(token, isDurable: false) else { return }
        if let creation = entry.creation { pushAccounts.finish(creation.amount, of: creation.key) }
        for waiter in entry.waiters where service.peers.finishPush(of: waiter.peer) {
            answer(.refused(.internalError, reason), waiter, now: now)
        }
        takeReplies()
    }
}
