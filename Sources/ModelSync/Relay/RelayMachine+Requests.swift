import ModelGrants
import ModelWire

/// The side that serves.
extension RelayMachine {
    /// Answers one request.
    /// - Parameters:
    ///   - peer: the routing identity of the connection that it came from.
    ///   - payload: any bytes; what is not a request is counted and answered with `malformed`.
    public func receive(_ payload: Span<UInt8>, from peer: [UInt8], now: Moment) {
        receive(ReceivedRequest(payload, limits: configuration.limits), from: peer, now: now)
    }

    /// Answers a request that was decoded before.
    public func receive(_ request: ReceivedRequest, from peer: [UInt8], now: Moment) {
        if case .success(.cancel(let rid)) = request.request { endFetches(of: peer, rid) }
        if let question = service.admit(request, from: peer, now: now, counters: &counters) {
            answer(question, to: peer, request.grantee, now: now)
        }
        if !service.isMadeInTurns { service.makeAnswers(now: now, counters: &counters) }
        takeReplies()
    }

    /// As ``Origin/hasAnswers``.
    public var hasAnswers: Bool { service.hasAnswers }

    /// As ``Origin/nextAnswer(after:now:)``.
    public func nextAnswer(after departures: [ReleasedMessage], now: Moment) -> NextAnswer {
        service.take(departures, now: now)
        defer { takeReplies() }
        return service.nextAnswer(now: now, counters: &counters)
    }

    /// As ``Origin/finish(_:now:)``.
    public func finish(_ turn: AnswerTurn, now: Moment) {
        service.finish(turn, now: now, counters: &counters)
        takeReplies()
    }

    /// Forgets a peer whose control connection is gone, or whose replies cannot be delivered.
    public func disconnected(_ peer: [UInt8]) {
        service.peers.forget(peer)
        endFetches(of: peer)
    }

    /// Counts clients that were not let in.
    public func countRefused(_ clients: [RefusedClients], now: Moment) {
        service.note(clients, now: now, &counters)
    }

    /// The refusals since the start, and to whom; and what senders said that they may not.
    public var distinctErrors: [DistinctError] { service.errors.all + replica.distinctErrors.all }

    /// The peers that have spoken to this relay and were heard of lately.
    public var connectedPeers: [Peer] { Array(service.peers.byIdentity.values) }

    func takeReplies() {
        for notice in service.takeNotices() { actions.append(.replica(.notice(notice))) }
        for reply in service.takeReplies() { actions.append(.reply(peer: reply.peer, payload: reply.payload)) }
    }

    private func answer(_ question: ControlService.Question, to peer: [UInt8], _ grantee: Grantee, now: Moment) {
        collect(now: now)
        var prefixes: PrefixSet?
        var fillsFrame = false
        switch question {
        case .report: return
        case .replay(let rid, let stream, let first, let last):
            return service.replay(
                rid, stream, from: first, through: last, knowledge(of: stream, grantee.rights, now: now), ring,
                to: peer, now: now, counters: &counters)
        case .push(let rid, let topic, let batch):
            guard configuration.role == .relay else {
                let message = "this is a \(configuration.role); push goes to a relay"
                return service.refuse(rid, .denied, message, peer, now: now, &counters)
            }
            return push(rid, topic, batch, from: peer, grantee, now: now)
        case .snapshot(let rid, let selected, _):
            guard !isSettling(now: now) else {
                let message = "this relay or an origin has just started, and not all that its senders hold is here yet"
                return service.refuse(rid, .busy, message, peer, now: now, &counters)
            }
            prefixes = selected
            fillsFrame = true
        case .digest(_, let type, let bits):
            prefixes = PrefixSet([Topic.data(type: type).bytes])
            // Digests of more bits fill a frame themselves.
            fillsFrame = bits <= 8
        case .fetch(let rid, _, _), .fetchBack(let rid, _, _, _):
            guard !isJoining(now: now) else {
                let message = "this relay has just started, and not all that its senders hold is here yet"
                return service.refuse(rid, .busy, message, peer, now: now, &counters)
            }
        case .hello: break
        }
        if isStartingAnew(now: now), let rid = question.copyRequest {
            let message = "this relay builds its state anew; the old one may hold what was deleted and forgotten since"
            return service.refuse(rid, .busy, message, peer, now: now, &counters)
        }
        if case .fetchBack(let rid, let type, let ids, let milliseconds) = question,
            beginFetch(
                rid, type: type, ids: ids, milliseconds: milliseconds, for: peer, grantee.rights, now: now)
        {
            return
        }
        var told = heads(prefixes: prefixes, isServing: true, fillsFrame: fillsFrame, now: now)
        // The copy has what the relay tells under its own name, too.
        if case .snapshot = question { told.append(ownHeads(prefixes: prefixes, now: now)) }
        let served = ControlService.Served(heads: told, cache: cache)
        service.answer(question, to: peer, grantee.rights, with: served, now: now, counters: &counters)
    }

    /// The relay builds its state anew, so its copy may hold what everybody else has deleted and forgotten, and no peer
    /// is to take it. After the settle time the relay serves what it has: one of its senders may be gone for good, or
    /// be a relay that waits for this one.
    func isStartingAnew(now: Moment) -> Bool {
        guard let start = replica.renewalStartedAt else { return false }
        return now.uptimeMicroseconds < start + configuration.settleTime.wholeMicroseconds
    }

    /// The relay has not joined all its senders yet, or what an origin had before it started anew is not here yet: a
    /// peer that is served now would miss it.
    func isSettling(now: Moment) -> Bool {
        replica.isTakingOver(for: configuration.settleTime.wholeMicroseconds, now: now) || isJoining(now: now)
    }

    /// The relay has just started, and the first snapshot of a sender is not here yet: models that the sender holds are
    /// missing here.
    func isJoining(now: Moment) -> Bool {
        let age = now.uptimeMicroseconds.subtractingOrZero(start.uptimeMicroseconds)
        guard age < configuration.settleTime.wholeMicroseconds else { return false }
        return replica.isJoining(besides: senderRoles.refused)
    }

    /// The relay's knowledge of a stream, as far as the asking peer may have it. The head is left open: the ring may
    /// hold batches beyond a hole, and decides.
    private func knowledge(
        of stream: ReplayRing.Stream, _ rights: Rights, now: Moment
    ) -> ControlService.StreamKnowledge {
        guard rights.mayRead(stream.topic) else { return .unknownOrigin }
        let key = StreamKey(origin: stream.origin, topic: stream.topic)
        if replica.recall(key, stream.incarnation, now: now) { return .known(head: nil) }
        // An origin of which nothing may be read is not named, and so looks like none.
        let isNamed = rights.readsAll || replica.hasStream(of: stream.origin, where: rights.mayRead)
        return isNamed && speaksFor(stream.origin) ? .unknownTopic : .unknownOrigin
    }
}

extension ControlService.Question {
    /// The id of a request for what the copy holds.
    fileprivate var copyRequest: UInt64? {
        switch self {
        case .snapshot(let rid, _, _), .digest(let rid, _, _), .fetch(let rid, _, _),
            .fetchBack(let rid, _, _, _):
            rid
        case .hello, .report, .replay, .push: nil
        }
    }
}
