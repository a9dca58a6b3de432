import ModelCache
import ModelRecord
import ModelWire

/// The head of a stream that the last `heads` told: another one is news.
struct ToldHead: Hashable, Sendable {
    let incarnation: UInt64
    let sequence: UInt64
}

extension RelayMachine {
    /// Sends `heads` for each origin that the relay speaks for, and for its own name: the topics that have changed, and
    /// in every tenth heartbeat all of them.
    ///
    /// A changed digest is told once, with one of the origins that write the topic. An origin that has been silent for
    /// long, and has nothing new, is told in every tenth heartbeat only, since its age grows by itself.
    func publishHeads(now: Moment) {
        let isFull = heartbeatCount % 10 == 0
        if isFull { forgetNames() }
        heartbeatCount += 1
        var all = heads(prefixes: nil, now: now) + [ownHeads(now: now)]
        var isNews = all.map { heads in heads.heads.map { isFull || isHeadNews($0, of: heads) } }
        var news: Set<Topic> = []
        for (heads, isNews) in zip(all, isNews) {
            for (head, isNews) in zip(heads.heads, isNews) where isNews { news.insert(head.topic) }
        }
        for index in all.indices {
            for (position, head) in all[index].heads.enumerated() {
                guard let digest = head.digest else {
                    if isNews[index][position] { toldDigests[head.topic] = nil }
                    continue
                }
                if toldDigests.updateValue(digest, forKey: head.topic) != digest, news.insert(head.topic).inserted {
                    isNews[index][position] = true
                }
            }
        }
        for index in all.indices {
            all[index].heads = zip(all[index].heads, isNews[index]).filter(\.1).map(\.0)
            guard isFull || !all[index].heads.isEmpty || !isLongSilent(all[index]) else { continue }
            actions.append(.publish(topic: .heads(origin: all[index].origin), payload: all[index].encode()))
        }
    }

    /// Forgets what was kept of origins that the replica has forgotten.
    private func forgetNames() {
        guard replica.counters[.forgottenNames] > 0 else { return }
        told = told.filter { replica.follows($0.key) }
        sources.forget(
            sources.byOrigin.keys.filter { origin in
                !replica.follows(origin) && !replica.isSpokenFor(origin)
            })
    }

    /// The head is not the one that was told last. Takes note that it is told now.
    private func isHeadNews(_ head: Head, of heads: Heads) -> Bool {
        let key = StreamKey(origin: heads.origin, topic: head.topic)
        let current = ToldHead(incarnation: heads.incarnation, sequence: head.sequence)
        return told.updateValue(current, forKey: key) != current
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
        let payloads = (heads(prefixes: nil, now: now) + [ownHeads(now: now)]).map { $0.encode() }
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
            origin: configuration.name, incarnation: incarnation,
            stamp: clock.tick(nowMilliseconds: now.wallMilliseconds), heads: [],
            hasTransactions: replica.holdsTransactions, leavesNamesOut: replica.leavesNamesOut)
        // Senders that have not joined yet may tell those models.
        guard !isJoining(now: now) else { return own }
        var left = HeadsBudget.listByteCountMax(frameByteCount: configuration.limits.frameByteCount) / 8
        for topic in replica.topicsWithoutStream(prefixes) {
            left -= HeadsBudget.byteCount(topic)
            guard left >= 0 else { break }
            let digest = isMute(topic.type ?? "", now: now) ? nil : digest(of: topic)
            own.heads.append(Head(topic: topic, sequence: 0, digest: digest))
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
                return Head(
                    topic: stream.topic, sequence: stream.incarnation < start ? 0 : stream.sequence,
                    digest: isMute[stream.type] ?? false ? nil : digest(of: stream.topic))
            }
            byOrigin[origin] = heads
        }
        // An origin that has sent nothing since its last start is told as well: a peer that follows an earlier start
        // must hear of it.
        let relayNames = Set(relayNames.values)
        for (origin, source) in sources.byOrigin
        where byOrigin[origin] == nil && source.incarnation > 0 && !relayNames.contains(origin)
            && replica.tells(origin)
        {
            // What such an origin had before is in the copies of the senders that tell it.
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
        let silence = now.uptimeMicroseconds.subtractingOrZero(source?.lastHeard ?? startTime) / 1000
        return Heads(
            origin: origin, incarnation: 0, stamp: source?.stamp ?? 0, heads: [], isRelayed: true,
            hasTransactions: facts.hasTransactions, isPushed: facts.isPushed,
            mayHaveFormer: facts.mayHaveFormer || facts.isRestarted,
            ageMilliseconds: silence + (source == nil ? absence : 0), leasesSince: watch?.heldSince,
            quietMilliseconds: watch.map { $0.silent / 1000 }, leaseDistance: watch?.distance)
    }

    /// Whether the digests of a type are not told, because a sent batch may be missing: peers would find the same
    /// difference again and again.
    ///
    /// A type in which something is missing for long is told all the same. A sender that makes up heads, or never ends
    /// its copy, would else keep from ever being noticed what this copy lacks or has too much.
    private func isMute(_ type: String, now: Moment) -> Bool {
        if isStartingAnew(now: now) { return replica.follows(type: type) }
        let isMending = replica.isAwaitingCopies ? replica.follows(type: type) : replica.isMending(type)
        guard isMending else {
            mendingSince[type] = nil
            return false
        }
        let since = mendingSince[type] ?? now.uptimeMicroseconds
        mendingSince[type] = since
        return now.uptimeMicroseconds.subtractingOrZero(since) < RelayMachine.mutePatienceMicroseconds
    }

    /// For how long the digests of a type are not told while something is missing in it: for about as long as a copy is
    /// awaited, which takes longest of what mends it.
    private static let mutePatienceMicroseconds: UInt64 = 30_000_000

    private func digest(of topic: Topic) -> UInt64? {
        guard let type = topic.type, let buckets = topic.buckets else { return nil }
        return cache.digest(of: type, buckets: buckets)
    }
}
