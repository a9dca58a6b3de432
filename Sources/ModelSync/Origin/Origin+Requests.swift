import ModelCache
import ModelGrants
import ModelRecord
import ModelWire

extension Origin {
    /// Answers one request.
    /// - Parameters:
    ///   - peer: the routing identity of the connection that it came from.
    ///   - payload: any bytes; what is not a request is counted and answered with `malformed`.
    public mutating func receive(_ payload: Span<UInt8>, from peer: [UInt8], now: Moment) {
        receive(ReceivedRequest(payload, limits: configuration.limits), from: peer, now: now)
    }

    /// Answers a request that was decoded outside of the lock of its owner.
    public mutating func receive(_ request: ReceivedRequest, from peer: [UInt8], now: Moment) {
        if let question = service.admit(request, from: peer, now: now, counters: &counters) {
            answer(question, to: peer, request.grantee, now: now)
        }
        if !service.isMadeInTurns { service.makeAnswers(now: now, counters: &counters) }
        takeReplies()
    }

    private mutating func takeReplies() {
        for notice in service.takeNotices() { outbox.actions.append(.notice(notice)) }
        for reply in service.takeReplies() { outbox.actions.append(.reply(peer: reply.peer, payload: reply.payload)) }
    }

    /// Whether ``nextAnswer(after:now:)`` may have a message for a peer.
    public var hasAnswers: Bool { service.hasAnswers }

    /// The next step for peers that wait for answers, where ``RequestBudget/underWayByteCount`` is set. The owner makes
    /// the message of a turn under no lock, sends it, and hands the turn to ``finish(_:now:)``.
    /// - Parameter departures: the messages that have left since the last call; every message that was sent comes back
    ///   as one.
    public mutating func nextAnswer(after departures: [ReleasedMessage], now: Moment) -> NextAnswer {
        service.take(departures, now: now)
        defer { takeReplies() }
        return service.nextAnswer(now: now, counters: &counters)
    }

    /// Takes back a turn that ``nextAnswer(after:now:)`` has lent.
    public mutating func finish(_ turn: AnswerTurn, now: Moment) {
        service.finish(turn, now: now, counters: &counters)
        takeReplies()
    }

    private mutating func answer(
        _ question: ControlService.Question, to peer: [UInt8], _ grantee: Grantee, now: Moment
    ) {
        var prefixes: PrefixSet?
        switch question {
        case .report(let report):
            // A reader makes no publisher start anew.
            if grantee.rights.mayCauseRecovery { learn(from: report, of: grantee, now: now) }
            return
        case .replay(let rid, let stream, let first, let last):
            sealBatches()
            return service.replay(
                rid, stream, from: first, through: last, knowledge(of: stream, grantee.rights), ring, to: peer,
                now: now, counters: &counters)
        case .push(let rid, _, _):
            let message = "this is a publisher; push goes to a relay"
            return service.refuse(rid, .denied, message, peer, now: now, &counters)
        case .snapshot(_, let selected, _): prefixes = selected
        case .digest(_, let type, _): prefixes = PrefixSet([Topic.data(type: type).bytes])
        case .hello, .fetch, .fetchBack: break
        }
        flush()
        let served = ControlService.Served(heads: [heads(all: true, prefixes: prefixes, now: now)], cache: cache)
        service.answer(question, to: peer, grantee.rights, with: served, now: now, counters: &counters)
    }

    private func knowledge(of stream: ReplayRing.Stream, _ rights: Rights) -> ControlService.StreamKnowledge {
        guard stream.origin == configuration.name, rights.mayRead(stream.topic) else { return .unknownOrigin }
        guard let topic = topics.first(where: { $0.topic == stream.topic }) else { return .unknownTopic }
        return .known(head: stream.incarnation == incarnation ? topic.head : nil)
    }

    /// Forgets a peer whose control connection is gone, or whose replies cannot be delivered.
    public mutating func disconnected(_ peer: [UInt8]) { service.peers.forget(peer) }

    /// Counts clients that were not let in.
    public mutating func countRefused(_ clients: [RefusedClients], now: Moment) {
        service.note(clients, now: now, &counters)
    }

    /// The refusals since the start, and to whom.
    public var distinctErrors: DistinctErrors { service.errors }

    /// The replicas that have spoken to this origin and were heard of lately.
    public var connectedPeers: [Peer] { Array(service.peers.byIdentity.values) }

    /// The peer has reported as applied everything that was sent on the topics that it takes.
    public func isApplied(by peer: Peer) -> Bool {
        topics.allSatisfy { state in
            state.head == 0 || !peer.isInterested(in: state.topic)
                || peer.applied(state.topic, origin: configuration.name, incarnation: incarnation) >= state.head
        }
    }
}
