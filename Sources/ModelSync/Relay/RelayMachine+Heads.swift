import ModelCache
import ModelRecord
import ModelWire

extension RelayMachine {
    /// Sends `heads` for each origin that the relay speaks for, and for its own name: the topics that have changed, and
    /// in every tenth heartbeat all of them.
    ///
    /// An origin that has been silent for long, and has nothing new, is told in every tenth heartbeat only, since its
    /// age grows by itself.
    func publishHeads(now: Moment) {
        let tellsAll = told.tellsAll
        if tellsAll { forgetNames() }
        for heads in told.takeNews(of: self.heads(prefixes: nil, now: now) + [ownHeads(now: now)]) {
            guard tellsAll || !heads.heads.isEmpty || !isLongSilent(heads) else { continue }
            actions.append(.publish(topic: .heads(origin: heads.origin), payload: heads.encode()))
        }
    }

    /// Forgets what was kept of origins that the replica has forgotten.
    private func forgetNames() {
        guard replica.counters[.forgottenNames] > 0 else { return }
        told.forget { replica.follows($0) }
        sources.forget(
            sources.byOrigin.keys.filter { origin in
                !replica.follows(origin) && !replica.isSpokenFor(origin)
            })
    }

    /// The origin has been silent for so long that everybody who was told of it counts it as stale already. While
    /// leases may be ending by it, each heartbeat tells for how long: by the watch over the leases, which no sender can
    /// make believe a silence.
    private func isLongSilent(_ heads: Heads) -> Bool {
        let heartbeat = configuration.heartbeatInterval.wholeMicroseconds / 1000
        guard heads.leasesSince != nil, let quiet = heads.quietMilliseconds else {
            return (heads.ageMilliseconds ?? 0) > heartbeat * RelayMachine.silentIntervals
        }
        return quiet > heartbeat * RelayMachine.silentLeaseIntervals
    }

    /// After this many heartbeats without a word from an origin it is told less often.
    private static let silentIntervals: UInt64 = 20
    /// And after this many where it leases models: ten minutes.
    private static let silentLeaseIntervals: UInt64 = 1200

    /// Takes note that a peer has subscribed to `prefix`. Barriers are answered; everything else needs no answer.
    public func subscribed(to prefix: [UInt8], now: Moment) {
        guard let barrier = Topic(barrier: prefix) else { return }
        service.barriers.append(barrier)
        answerBarriers(now: now)
    }

    /// Answers the barriers that are due. Barriers that come close together have one answer, which is made once.
    func answerBarriers(now: Moment) {
        let topics = service.barriers.take(now: now.uptimeMicroseconds)
        guard !topics.isEmpty else { return }
        collect(now: now)
        let all = heads(prefixes: nil, now: now) + [ownHeads(now: now)]
        service.barriers.noteAnswer(headCount: all.reduce(0) { $0 + 1 + $1.heads.count })
        let payloads = all.map { $0.encode() }
        for topic in topics {
            for payload in payloads { actions.append(.publish(topic: topic, payload: payload)) }
        }
    }

    /// The heads of the own name of the relay. It publishes nothing itself; this tells that it is there, also when it
    /// speaks for nobody.
    ///
    /// They say that there are transactions where any origin has some: a snapshot may have parts of those of an origin
    /// which it does not tell, because it lacks what that had before.
    ///
    /// Where its copy has models that no other told topic carries, their topic is told here with head 0. A peer that
    /// has joined before then takes them, and compares digests.
    func ownHeads(prefixes: PrefixSet? = nil, now: Moment) -> Heads {
        var own = Heads(
            origin: configuration.name, incarnation: start.incarnation,
            stamp: clock.tick(nowMilliseconds: now.wallMilliseconds), heads: [],
            hasTransactions: replica.holdsTransactions, leavesNamesOut: replica.leavesNamesOut)
        // Senders that have not joined yet may tell those models.
        guard !isJoining(now: now) else { return own }
        var left = HeadsBudget.listByteCountMax(frameByteCount: configuration.limits.frameByteCount) / 8
        for topic in replica.topicsWithoutStream(prefixes) {
            left -= HeadsBudget.byteCount(topic)
            guard left >= 0 else { break }
            let digest = isMute(topic.type ?? "", now: now) ? nil : digest(of: topic)
            own.heads.append(TopicHead(topic: topic, sequence: 0, digest: digest))
        }
        return own
    }

    /// The heads of all origins: for each topic, and of the last start of the origin, the last sequence up to which
    /// everything is in the cache.
    /// - Parameters:
    ///   - isServing: the heads go with the content of the cache, which they vouch for. An origin whose models of
    ///     earlier starts are not all here is left out.
    ///   - fillsFrame: the heads include streams that are not told elsewhere, as many as fit into a frame, because a
    ///     peer that has a hole in one asks for a copy.
    func heads(prefixes: PrefixSet?, isServing: Bool = false, fillsFrame: Bool = false, now: Moment) -> [Heads] {
        let more = fillsFrame ? replica.untoldStreams(thatFitWith: prefixes) : []
        var byOrigin: [String: Heads] = [:]
        var isMute: [String: Bool] = [:]
        for (origin, start, streams) in replica.toldStreams(and: more, prefixes) {
            var heads = emptyHeads(of: origin, now: now)
            heads.incarnation = start
            heads.heads = streams.map { stream in
                if isMute[stream.type] == nil { isMute[stream.type] = self.isMute(stream.type, now: now) }
                // Topics that stand at an earlier start are told with head 0 of the last, for their digests: the models
                // of the earlier start are in the copy, and a replica that joined before must hear of them.
                return TopicHead(
                    topic: stream.topic, sequence: stream.incarnation < start ? 0 : stream.sequence,
                    digest: isMute[stream.type] ?? false ? nil : digest(of: stream.topic))
            }
            byOrigin[origin] = heads
        }
        // An origin that has sent nothing since its last start is told as well: a peer that follows an earlier start
        // must hear of it.
        let relayNames = Set(senderRoles.relayNames.values)
        for (origin, source) in sources.byOrigin
        where byOrigin[origin] == nil && source.incarnation > 0 && !relayNames.contains(origin)
            && replica.tells(origin)
        {
            // The former models of such an origin are in the copies of the senders that tell it.
            if isServing, !replica.hasCopy(of: origin) { continue }
            byOrigin[origin] = emptyHeads(of: origin, now: now)
            byOrigin[origin]?.incarnation = source.incarnation
        }
        if isServing {
            for origin in replica.originsTakenOver { byOrigin[origin] = nil }
        }
        return byOrigin.values.sorted { $0.origin < $1.origin }
    }

    private func emptyHeads(of origin: String, now: Moment) -> Heads {
        let (source, facts, watch) = (sources[origin], replica.facts(of: origin), replica.leaseWatch(of: origin))
        let silence = now.uptimeMicroseconds.subtractingOrZero(source?.lastHeard ?? start.uptimeMicroseconds) / 1000
        return Heads(
            origin: origin, incarnation: 0, stamp: source?.stamp ?? 0, heads: [], isRelayed: true,
            hasTransactions: facts.hasTransactions, isPushed: facts.isPushed,
            mayHaveFormer: facts.mayHaveFormer || facts.isRestarted,
            ageMilliseconds: silence + (source == nil ? start.absenceMilliseconds : 0), leasesSince: watch?.heldSince,
            quietMilliseconds: watch.map { $0.silent / 1000 }, leaseDistance: watch?.distance)
    }

    private func isMute(_ type: String, now: Moment) -> Bool {
        if isStartingAnew(now: now) { return replica.follows(type: type) }
        let isMending = replica.isAwaitingCopies ? replica.follows(type: type) : replica.isMending(type)
        return mutes.isMute(type, isMending: isMending, now: now.uptimeMicroseconds)
    }

    private func digest(of topic: Topic) -> UInt64? {
        guard let type = topic.type, let buckets = topic.buckets else { return nil }
        return cache.digest(of: type, buckets: buckets)
    }
}
