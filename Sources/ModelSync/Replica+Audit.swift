import ModelCache
import ModelWire

/// Digests show the loss of an update whatever caused it (protocol article, section 7).
extension Replica {
    /// Compares what the sender has told of its copy with this one, wherever both must be equal. Called with each
    /// heartbeat: also of a topic that the heads leave out, because nothing has changed, the last digest still holds.
    func audit(_ sender: SenderID, now: Moment) {
        guard sessions[sender.index].isSynced, groups.isEmpty, renewal == nil else { return }
        for type in audits.types(toldBy: sender) {
            guard audits.mayBegin(type, with: sender, now: now.uptimeMicroseconds) else { continue }
            let told = audits.digests(of: type, toldBy: sender)
            let own = cache.bucketDigests(of: type)
            var differences: [Audit.Comparability] = []
            for (topic, digest) in told {
                guard let buckets = topic.buckets, isCovered(topic),
                    let comparability = comparability(type, buckets, { $0.head(toldBy: sender) })
                else { continue }
                if own[buckets].reduce(0, &+) == digest {
                    noteEqual(type, buckets)
                } else {
                    differences.append(comparability)
                }
            }
            if differences.isEmpty {
                audits.clearPause(type, with: sender)
            } else if differences.contains(.equal) || !audits.isJoined(type, toldBy: sender) {
                audits[type] = Audit(
                    sender: sender, dueAt: now.uptimeMicroseconds, foundAt: now.uptimeMicroseconds, told: told,
                    ownDigest: own.reduce(0, &+))
                askForDigests(of: type, now: now)
            }
        }
    }

    /// This replica takes the whole topic, not only a part of its buckets.
    private func isCovered(_ topic: Topic) -> Bool {
        configuration.prefixes.contains { topic.bytes.starts(with: $0) }
    }

    /// The buckets that this replica takes.
    func coveredBuckets(of type: String) -> [Int] {
        (0..<256).filter { isCovered(.data(type: type, partitions: .twoHundredFiftySix, bucket: $0)) }
    }

    /// What digests of these buckets can say, where every stream that carries one of them stands exactly at the
    /// sender's head; else nil. A stream of which nothing was applied stands at 0, told or not.
    func comparability(
        _ type: String, _ buckets: Range<Int>, _ head: (StreamState) -> UInt64?
    ) -> Audit.Comparability? {
        var result = Audit.Comparability.equal
        for stream in streamsByType[type] ?? [] {
            guard let carried = stream.key.topic.buckets, carried.overlaps(buckets) else { continue }
            guard !stream.isMending, head(stream) ?? 0 == stream.tracker.applied else { return nil }
            if stream.tracker.applied == 0 || stream.holdsOlderIncarnation { result = .atLeast }
        }
        return result
    }

    static func head(of stream: StreamState, in heads: [String: Heads]) -> UInt64? {
        guard let told = heads[stream.key.origin], told.incarnation == stream.incarnation else { return nil }
        return told[stream.key.topic]?.sequence
    }

    private func noteEqual(_ type: String, _ buckets: Range<Int>) {
        for stream in streamsByType[type] ?? [] where stream.holdsOlderIncarnation {
            if let carried = stream.key.topic.buckets, buckets.lowerBound <= carried.lowerBound,
                carried.upperBound <= buckets.upperBound
            {
                stream.holdsOlderIncarnation = false
            }
        }
    }

    func askForDigests(of type: String, now: Moment) {
        guard let sender = audits[type]?.sender else { return }
        let rid = takeRID()
        audits[type]?.rid = rid
        audits[type]?.dueAt = now.uptimeMicroseconds + patience(0)
        requests[rid] = (sender, .audit(type))
        counters[.digestAudits] += 1
        send(.digest(rid: rid, type: type, bits: 8), to: sender)
    }

    /// Takes the digests of all buckets of a type. They count only where the heads that came with them say that both
    /// copies must be equal; otherwise the next heartbeat tries again.
    func receiveDigests(_ sender: SenderID, rid: UInt64, heads: [Heads], digests: [UInt64], now: Moment) {
        guard let (asked, purpose) = requests[rid], asked == sender, case .audit(let type) = purpose,
            let audit = audits[type], audit.rid == rid, digests.count == 256
        else {
            counters[.unaskedReplies] += 1
            return
        }
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        requests[rid] = nil
        audits[type]?.rid = nil
        noteOrigins(heads, of: sender)
        let own = cache.bucketDigests(of: type)
        let differing = coveredBuckets(of: type).filter { own[$0] != digests[$0] }
        let byOrigin = Dictionary(heads.map { ($0.origin, $0) }) { first, _ in first }
        var found: [Int: Audit.Comparability] = [:]
        for bucket in differing where groups.isEmpty {
            found[bucket] = comparability(type, bucket..<(bucket + 1)) { Replica.head(of: $0, in: byOrigin) }
        }
        let unequal = found.keys.filter { found[$0] == .equal }.sorted()
        switch audit.step {
        case .comparing where differing.isEmpty:
            // The digest in the heads was older than the heads.
            audits.refresh(type, toldBy: sender, with: digests)
            endAudit(of: type)
        case .comparing where found.isEmpty: missedComparison(of: type, now: now)
        case .comparing:
            confirm(type, found.keys.sorted(), mustBeEqual: !unequal.isEmpty, heads: heads, now: now)
        case _ where !unequal.isEmpty: irreparable(type, unequal, now: now)
        case _ where found.count < differing.count: missedComparison(of: type, now: now)
        case _:
            audits.refresh(type, toldBy: sender, with: digests)
            mended(type, now: now)
        }
    }

    private func missedComparison(of type: String, now: Moment) {
        guard let audit = audits[type], audit.isConfirmed else { return endAudit(of: type) }
        audits[type]?.misses += 1
        guard audit.misses < Audit.missCountMax else {
            // What it said of its copy was compared with the damaged one.
            audits.forgetDigests(toldBy: audit.sender, type: type)
            return mended(type, now: now)
        }
        audits[type]?.dueAt = now.uptimeMicroseconds + 50_000
    }

    /// Forgets the audit of a type.
    func endAudit(of type: String) {
        guard let audit = audits[type] else { return }
        if let rid = audit.rid { requests[rid] = nil }
        audits[type] = nil
    }

    /// Contact to the sender is lost: what it was asked and what it told is void.
    func loseAudits(of sender: SenderID) {
        for type in audits.types where audits[type]?.sender == sender { endAudit(of: type) }
        audits.forgetDigests(toldBy: sender)
    }

    /// Gives up what was not answered, and asks again where heads had moved.
    func driveAudits(now: Moment) {
        for type in audits.types {
            guard let audit = audits[type], now.uptimeMicroseconds >= audit.dueAt else { continue }
            if let rid = audit.rid {
                send(.cancel(rid: rid), to: audit.sender)
                endAudit(of: type)
            } else {
                askForDigests(of: type, now: now)
            }
        }
    }
}
