import ModelCache
import ModelRecord
package import ModelWire

/// The work of an origin as time passes: heartbeats with heads and digests, answers to barriers, the end of deletes.
extension Origin {
    /// Takes note that a peer has subscribed to `prefix`. Barriers are answered; everything else needs no answer.
    public mutating func subscribed(to prefix: [UInt8], now: Moment) {
        guard let barrier = Topic(barrier: prefix) else { return }
        service.barriers.append(barrier)
        answerBarriers(now: now)
    }

    /// Answers the barriers that are due. Barriers that come close together have one answer, which is made once.
    private mutating func answerBarriers(now: Moment) {
        let topics = service.barriers.take(now: now.uptimeMicroseconds)
        guard !topics.isEmpty else { return }
        flush()
        let heads = heads(all: true, now: now)
        service.barriers.noteAnswer(headCount: heads.heads.count)
        let payload = heads.encode()
        for topic in topics { publish(topic, payload) }
    }

    /// Sends `heads` when it is due, and forgets peers that have gone silent and deletes whose time is over.
    public mutating func tick(now: Moment) {
        ticks.last = max(ticks.last, now.uptimeMicroseconds)
        sweepTombstones(now: now)
        endExpired(now: now, countMax: Origin.endedCountMax)
        answerBarriers(now: now)
        let due = ticks.nextHeads ?? now.uptimeMicroseconds
        if now.uptimeMicroseconds >= due {
            reviewClock(now: now)
            flush()
            let isFull = ticks.headsCount % 10 == 0
            if !isFull { noteDigestNews() }
            publish(.heads(origin: configuration.name), encodedHeads(all: isFull, now: now))
            publishSignedHeads(mayBegin: isFull, now: now)
            noteTold()
            ticks.headsCount += 1
            ticks.nextHeads = now.uptimeMicroseconds + configuration.heartbeatInterval.wholeMicroseconds
            ring.forget(before: ticks.last)
            service.tick(now: now, peerTimeout: configuration.peerTimeout, counters: &counters)
        }
    }

    /// When ``tick(now:)`` next has something to do, on the clock of ``Moment/uptimeMicroseconds``; nil before the
    /// first tick, which is due at once.
    public var nextDeadline: UInt64? {
        ticks.nextHeads.map { min($0, service.barriers.dueAt ?? .max, endings.expiries.dueAt ?? .max) }
    }

    private mutating func encodedHeads(all: Bool, now: Moment) -> [UInt8] { heads(all: all, now: now).encode() }

    /// Marks topics whose digest is not the one that was told: it is news like a head, because something else than a
    /// batch has changed the copy.
    private mutating func noteDigestNews() {
        for index in topics.indices where topics[index].head > 0 && !topics[index].isHeadNews {
            topics[index].isHeadNews = digest(of: topics[index].topic) != topics[index].toldDigest
        }
    }

    private mutating func noteTold() {
        for index in topics.indices where topics[index].head > 0 {
            topics[index].toldDigest = digest(of: topics[index].topic)
            topics[index].isHeadNews = false
        }
        for index in topics.former { topics[index].isHeadNews = false }
    }

    /// The last sequence of each topic on which something was sent.
    package var sentHeads: [(topic: Topic, sequence: UInt64)] {
        topics.filter { $0.head > 0 }.map { ($0.topic, $0.head) }
    }

    /// The last sequence of each topic on which something was written. An open batch counts: it will have the next one.
    package var writtenPositions: [(topic: Topic, sequence: UInt64)] {
        topics.indices.map { writtenPosition($0) }.filter { $0.sequence > 0 }
    }

    /// The same of the topics of these models.
    package func writtenPositions(of models: [(type: String, id: String)]) -> [(topic: Topic, sequence: UInt64)] {
        var indices: Set<Int> = []
        for (type, id) in models {
            let bucket = Fingerprint.bucket(idHash: Fingerprint.fnv(id))
            if let state = topics.type(type) { indices.insert(state.topicIndex(bucket: bucket)) }
        }
        return indices.sorted().map { writtenPosition($0) }.filter { $0.sequence > 0 }
    }

    private func writtenPosition(_ index: Int) -> (topic: Topic, sequence: UInt64) {
        (topics[index].topic, topics[index].head + (topics[index].isOpen ? 1 : 0))
    }

    /// The heads of what has been sent so far. Call this only when no batch is open: else heads and digests would
    /// belong to different states.
    mutating func heads(all: Bool, prefixes: PrefixSet? = nil, now: Moment) -> Heads {
        let selected = topics.indices.filter { index in
            guard topics[index].head > 0 || topics.former.contains(index), all || topics[index].isHeadNews else {
                return false
            }
            guard let prefixes else { return true }
            return prefixes.overlaps(topics[index].topic)
        }
        .map { topics[$0] }
        return Heads(
            origin: configuration.name, incarnation: incarnation,
            stamp: clock.tick(nowMilliseconds: now.wallMilliseconds),
            heads: selected.map { TopicHead(topic: $0.topic, sequence: $0.head, digest: digest(of: $0.topic)) },
            isRelayed: false, hasTransactions: topics.hasTransactions, ageMilliseconds: nil,
            leasesSince: endings.leases.isAny ? endings.leases.since : nil)
    }

    private func digest(of topic: Topic) -> UInt64? {
        guard let type = topic.type, let buckets = topic.buckets else { return nil }
        return cache.digest(of: type, buckets: buckets)
    }
}
