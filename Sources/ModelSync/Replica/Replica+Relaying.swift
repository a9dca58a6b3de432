import ModelCache
import ModelRecord
import ModelWire

/// The questions that a relay asks of the replica inside it. A relay touches nothing else of a replica's state: a
/// structure test holds it to that.
extension Replica {
    /// A stream of an origin, as it is told to others.
    struct ToldStream {
        let topic: Topic
        let type: String
        let incarnation: UInt64
        /// Everything up to this sequence is in the cache.
        let sequence: UInt64
    }

    /// The place of a batch: its stream, its sequence, and its last stamp.
    struct BatchPlace {
        let stream: ReplayRing.Stream
        let sequence: UInt64
        let lastStamp: Stamp
    }

    /// The place of the batch that was decoded last, whether it was pushed, judged or restored.
    func decodedPlace(on topic: Topic) -> BatchPlace {
        BatchPlace(
            stream: ReplayRing.Stream(origin: decoder.origin, incarnation: decoder.incarnation, topic: topic),
            sequence: decoder.sequence, lastStamp: decoder.lastStamp)
    }

    // MARK: Senders

    /// The sender's own name; empty before it has told it.
    func name(of sender: SenderID) -> String { sessions[sender.index].name }

    /// The sender speaks for the origin.
    func speaks(_ sender: SenderID, for origin: String) -> Bool { sessions[sender.index].origins.contains(origin) }

    /// Some sender speaks for the origin, connected now or not.
    func isSpokenFor(_ origin: String) -> Bool { sessions.contains { $0.origins.contains(origin) } }

    /// Some sender whose copy is here speaks for the origin.
    func hasCopy(of origin: String) -> Bool { sessions.contains { $0.isSynced && $0.origins.contains(origin) } }

    /// A sender other than the refused ones was never live: models that it holds may be missing here.
    func isJoining(besides refused: Set<SenderID>) -> Bool {
        sessions.contains { !$0.handShake.wasLive && !refused.contains($0.id) }
    }

    // MARK: Streams

    /// The streams that are told to others, and these, by origin, in no order: the last start of all of them, and those
    /// that the prefixes select.
    func toldStreams(
        and more: Set<StreamKey>, _ prefixes: PrefixSet?
    ) -> [(origin: String, start: UInt64, streams: [ToldStream])] {
        streams.byOrigin.compactMap { origin, all in
            var start: UInt64?
            var selected: [ToldStream] = []
            for stream in all where !stream.isUntold || more.contains(stream.key) {
                start = max(start ?? 0, stream.incarnation)
                guard prefixes?.overlaps(stream.key.topic) ?? true else { continue }
                selected.append(
                    ToldStream(
                        topic: stream.key.topic, type: stream.type, incarnation: stream.incarnation,
                        sequence: vouched(stream.key, stream)))
            }
            return start.map { (origin, $0, selected) }
        }
    }

    /// The origin has a stream of such a type.
    func hasStream(of origin: String, where isSuch: (_ type: String) -> Bool) -> Bool {
        streams.of(origin: origin).contains { isSuch($0.type) }
    }

    /// Topics that carry models of the copy which no told stream carries: a topic for each type that has such models,
    /// and that the prefixes select. A stored state may hold them without the position of a stream, or the streams of
    /// their origins are not told.
    func topicsWithoutStream(_ prefixes: PrefixSet?) -> [Topic] {
        cache.types.filter { type in
            let topic = Topic.data(type: type)
            return (prefixes?.overlaps(topic) ?? true) && isWanted(topic) && holdsUncarried(type)
        }.sorted().map { .data(type: $0) }
    }

    /// The copy has models of the type that no told stream carries.
    private func holdsUncarried(_ type: String) -> Bool {
        guard cache.count(of: type) > 0 else { return false }
        var isCarried = Array(repeating: false, count: 256)
        for stream in streams.of(type: type) where !stream.isUntold {
            guard let buckets = stream.buckets else { continue }
            if buckets.count == 256 { return false }
            for bucket in buckets { isCarried[bucket] = true }
        }
        return zip(cache.bucketDigests(of: type), isCarried).contains { $0 != 0 && !$1 }
    }

    /// The streams that are not told, the last that went on first, for which one frame has room beside those that are.
    func untoldStreams(thatFitWith prefixes: PrefixSet?) -> Set<StreamKey> {
        guard let room = origins.limits.room, origins.limits.leavesNamesOut else { return [] }
        let untold = streams.values.filter { $0.isUntold && prefixes?.overlaps($0.key.topic) ?? true }
            .sorted { $0.lastArrival == $1.lastArrival ? $0.precedes($1) : $0.lastArrival > $1.lastArrival }
        var left = room.byteCountMax - room.byteCount
        return Set(
            untold.lazy.map(\.key).prefix { key in
                left -= HeadsBudget.byteCount(key.topic) + HeadsBudget.byteCount(origin: key.origin)
                return left >= 0
            })
    }

    func follows(_ key: StreamKey) -> Bool { streams[key] != nil }

    /// Follows a forgotten stream again, and tells an untold one again, because a peer asks for its batches.
    /// - Returns: whether the stream is followed now.
    func recall(_ key: StreamKey, _ incarnation: UInt64, now: Moment) -> Bool {
        guard let stream = streams[key] ?? remember(key, incarnation, now: now) else { return false }
        // The peer that asks has a hole, and needs heads of the stream to close it.
        if stream.isUntold { tellAgain(stream, now: now) }
        return true
    }

    /// Counts as a batch of the stream that came now, so that the stream is not forgotten.
    /// - Returns: false where the stream is not followed.
    func keep(_ key: StreamKey, now: Moment) -> Bool {
        guard let stream = streams[key] else { return false }
        stream.lastArrival = now.uptimeMicroseconds
        return true
    }

    // MARK: Origins and names

    func facts(of origin: String) -> OriginFacts { origins[origin] }

    /// The watch on the leases of an origin; nil where it leases nothing, as far as is known.
    func leaseWatch(of origin: String) -> LeaseWatch? { leases[origin] }

    /// Bounds the streams that are told, so that all heads fit into one message of `frameByteCount` bytes.
    func boundHeads(frameByteCount: Int) { origins.limits.room = HeadsBudget(frameByteCount: frameByteCount) }

    /// Some origin has sent transactions over several topics, so the copy may have parts of some.
    var holdsTransactions: Bool { origins.hasTransactions }

    /// Some names that were followed are not told.
    var leavesNamesOut: Bool { origins.limits.leavesNamesOut }

    /// There is room to tell of the origin, or it is followed already.
    ///
    /// Where its streams have made way, an origin of which a sender tells is told by its name alone: whoever is behind
    /// this relay has to hear of its last start, and for how long it has been silent.
    func admits(_ origin: String, now: Moment) -> Bool {
        let isFollowed = follows(origin)
        if isFollowed, isName(origin, now: now) { return true }
        return origins.limits.room?.admit(origin: origin) ?? true || isFollowed
    }

    /// The origin is among those that are told.
    func tells(_ origin: String) -> Bool { origins.limits.room?.tells(origin) ?? true }

    /// How many bytes a topic will take of the heads for good once something is pushed on it; 0 for one that is told
    /// already, and where nothing bounds them.
    func topicCost(_ topic: Topic) -> Int {
        origins.limits.room.map { $0.count(of: topic) > 0 ? 0 : HeadsBudget.byteCount(topic) } ?? 0
    }

    /// The most bytes that what is pushed takes of the heads.
    var pushedTopicsByteCountMax: Int { origins.limits.room?.pushedByteCountMax ?? .max }

    /// A pushed stream finds no room.
    func isFull(for key: StreamKey, now: Moment) -> Bool { findRoom(for: key, isPushed: true, now: now) == .refused }

    // MARK: What is under way

    /// The heads lie too far ahead of the wall clock.
    func isTooFarAhead(_ heads: Heads, now: Moment) -> Bool {
        clockGuard.isTooFarAhead(max(heads.incarnation, heads.stamp), now: now)
    }

    /// When the state began to be built anew; nil where it is not.
    var renewalStartedAt: UInt64? { renewal?.startedAt }

    /// The models that an origin had before its last start are awaited, and have been for less than `limit`
    /// microseconds.
    ///
    /// Two kinds of claim are passed over, because a sender could make new ones without end: a topic that others tell
    /// and the origin, a sender itself, does not; and a later start that is told by a sender which was contradicted
    /// before.
    func isTakingOver(for limit: UInt64, now: Moment) -> Bool {
        streams.unsettled.all.contains { stream in
            guard let since = stream.beginning.awaitedSince, now.uptimeMicroseconds < since + limit else {
                return false
            }
            let origin = stream.key.origin
            if isPresent(origin), !stream.tellers.contains(where: { isOrigin(sessions[$0.sender.index], origin) }) {
                return false
            }
            guard isMerelyClaimed(startOf: stream), let claimant = stream.claimedStart?.claimant else { return true }
            return sessions[claimant.index].credit.contradictionCount == 0
        }
    }

    /// The origins whose former models are awaited.
    var originsTakenOver: some Sequence<String> {
        streams.unsettled.all.lazy.filter { $0.beginning.isAwaited }.map(\.key.origin)
    }

    /// Some of what senders hold is on its way: a copy, or the rest of a transaction.
    var isAwaitingCopies: Bool { !groups.isEmpty || sessions.contains(where: \.isSyncing) }

    /// Some stream is of the type.
    func follows(type: String) -> Bool { !streams.of(type: type).isEmpty }

    /// A sent batch of the type may be missing in the cache, and is looked for.
    func isMending(_ type: String) -> Bool { streams.of(type: type).contains(where: \.isBeingMended) }
}
