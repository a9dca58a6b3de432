@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

/// The mending of copies that differ.
extension Replica {
    /// Begins to mend copies that differ where they must not, or where the copy of the sender may hold what is not
    /// here.
    /// - Parameter heads: the heads that came with the digests.
    func confirm(_ type: String, _ buckets: [Int], mustBeEqual: Bool, heads: [Heads], now: Moment) {
        guard let audit = audits[type], let stream = witness(of: audit, type) else {
            return endAudit(of: type, now: now)
        }
        lengthenPause(of: type, audit, now: now)
        if hasTransactions(type, heads) {
            noteTransactions(heads)
            if mustBeEqual { noteMismatch(stream, buckets.count, audit) }
            // Another snapshot would bring nothing: all that the sender holds is here already.
            if mustBeEqual, audits.isJoined(type, toldBy: audit.sender) {
                let isLeft = configuration.forwardsBatches || audits.isResting(type, now: now.uptimeMicroseconds)
                guard !isLeft else { return endAudit(of: type, now: now) }
                noteDifference(stream)
                audits[type]?.difference = stream
                return irreparable(type, buckets, now: now)
            }
            return takeWhole(stream, audit, now: now)
        }
        if mustBeEqual { noteMismatch(stream, buckets.count, audit) }
        if mustBeEqual, !audits.isResting(type, now: now.uptimeMicroseconds) {
            noteDifference(stream)
            audits[type]?.difference = stream
        }
        // The first time all buckets are taken, since what came without sequences may include deletes, which no digest
        // shows.
        let isFirst = !mustBeEqual && !audits.wasJoined(type, with: audit.sender)
        fetchBuckets(isFirst ? coveredBuckets(of: type) : buckets, of: type, isReplacing: false, now: now)
    }

    /// Transactions over several topics reach this type, so single buckets would show halves of them.
    private func hasTransactions(_ type: String, _ heads: [Heads]) -> Bool {
        heads.contains { $0.hasTransactions && !$0.heads.isEmpty }
            || streams.of(type: type).contains { origins[$0.key.origin].hasTransactions }
    }

    /// Takes note that origins have sent transactions over several topics, so that from now on repairs take snapshots
    /// of everything. An origin that has begun anew, and is heard itself, does not tell that of its earlier starts;
    /// these heads do.
    private func noteTransactions(_ heads: [Heads]) {
        for told in heads where told.hasTransactions { origins.noteTransaction(of: told.origin) }
    }

    /// Ends the audit, and repairs the stream by a snapshot, which shows every transaction whole.
    private func takeWhole(_ stream: StreamState, _ audit: Audit, now: Moment) {
        endAudit(of: stream.type, now: now)
        startRepair(stream, finding: .digest, now: now)
        stream.repair?.compared = (audit.sender, audit.told)
    }

    private func noteMismatch(_ stream: StreamState, _ bucketCount: Int, _ audit: Audit) {
        counters[.digestMismatches] += 1
        notice(
            .digestMismatch,
            [
                "sender": label(audit.sender), "origin": stream.key.origin, "type": stream.type,
                "buckets": "\(bucketCount)", "head": "\(stream.tracker.applied)",
            ])
    }

    private func noteDifference(_ stream: StreamState) {
        counters[.holesFound] += 1
        stream.account.found += 1
        stream.account.lastFinding = .digest
        notice(
            .holeFound,
            [
                "origin": stream.key.origin, "topic": stream.key.topic.description,
                "found": Finding.digest.rawValue, "applied": "\(stream.tracker.applied)", "missing": "0",
            ])
    }

    /// The stream to which the difference is attributed.
    private func witness(of audit: Audit, _ type: String) -> StreamState? {
        let streams = streams.of(type: type)
        let told = streams.filter { stream in stream.tellers.contains { $0.sender == audit.sender } }
        // A stream with a hole that stays has a repair already, and each stream has one at a time.
        return told.first { $0.repair == nil } ?? told.first ?? streams.first
    }

    /// Asks for some of the buckets that differ.
    ///
    /// The request is a snapshot by prefixes and not a `fetch`, which wants ids: digests do not tell ids, and those
    /// that only the sender has cannot be known here.
    private func fetchBuckets(_ buckets: [Int], of type: String, isReplacing: Bool, now: Moment) {
        guard let sender = audits[type]?.sender else { return }
        // The audit begins again after the pause that follows a difference.
        guard sessions[sender.index].budget.takeRequest(.snapshot, at: now.uptimeMicroseconds) else {
            counters[.postponedRequests] += 1
            return endAudit(of: type, now: now)
        }
        let rid = requests.begin(.audit(type), at: sender)
        let part = buckets.prefix(Audit.bucketCountMax)
        let rest = Array(buckets.dropFirst(part.count))
        audits[type]?.step = isReplacing ? .replacing(part: Array(part), rest: rest) : .fetching(rest: rest)
        audits[type]?.rid = rid
        audits[type]?.dueAt = now.uptimeMicroseconds + patience(0)
        counters[.bucketsFetched] += UInt64(part.count)
        let prefixes = part.map { Topic.data(type: type, partitions: .twoHundredFiftySix, bucket: $0) }
        send(.snapshot(rid: rid, prefixes: prefixes, credit: UInt64(configuration.snapshotCredit)), to: sender)
    }

    /// Keeps the records that a request brings until it has ended. Where they are too many, the topic is taken whole.
    func keepFetched(_ records: [CellRecord], type: String, now: Moment) {
        guard var fetched = audits[type]?.fetched else { return }
        // Taken out while it changes, so that it is not copied.
        audits[type]?.fetched = Staging()
        fetched.add(records, type: type)
        audits[type]?.fetched = fetched
        guard fetched.isFull, let audit = audits[type] else { return }
        if let rid = audit.rid { send(.cancel(rid: rid), to: audit.sender) }
        guard case .fetching = audit.step, let stream = witness(of: audit, type) else {
            return endAudit(of: type, now: now)
        }
        takeWhole(stream, audit, now: now)
    }

    /// Ends a request for buckets, whose records are here.
    func completeBuckets(of type: String, _ heads: [Heads], now: Moment) {
        guard let audit = audits[type], let rid = audit.rid else { return }
        requests.end(rid)
        audits[type]?.fetched = Staging()
        noteOrigins(heads, of: audit.sender, now: now)
        switch audit.step {
        case .comparing, .verifying: return
        case .replacing(let part, let rest):
            replace(part, of: type, with: audit.fetched.chunks.flatMap(\.records), heads, now: now)
            guard rest.isEmpty else { return fetchBuckets(rest, of: type, isReplacing: true, now: now) }
            audits.forgetDigests(toldBy: audit.sender, type: type)
            endAudit(of: type, by: .buckets, now: now)
        case .fetching(let rest):
            if hasTransactions(type, heads), let stream = witness(of: audit, type) {
                noteTransactions(heads)
                return takeWhole(stream, audit, now: now)
            }
            join(audit.fetched.chunks, askedFor: rid, now: now)
            guard rest.isEmpty else { return fetchBuckets(rest, of: type, isReplacing: false, now: now) }
            if audit.isConfirmed {
                audits[type]?.step = .verifying
                askForDigests(of: type, now: now)
            } else {
                joined(type, audit, now: now)
            }
        }
    }

    /// Takes note that all that the copy of the sender held when it told these digests is here.
    /// - Parameter time: when the difference was found, before the copy was asked for.
    func noteJoined(
        _ told: [Topic: UInt64], of type: String, toldBy sender: SenderID, foundAt time: UInt64, now: Moment
    ) {
        if mayHoldFormer(type, sender, now: now) {
            // Copies of other senders that were equal before may not have what came with this one.
            for stream in streams.of(type: type) where stream.holdsUntold {
                for session in sessions where session.id != sender { stream.noteEqual(false, to: session.id) }
            }
        }
        audits.noteJoined(told, of: type, toldBy: sender, at: time)
    }

    /// Ends an audit whose sender may hold more: all that it had is here, so what still differs is only here.
    private func joined(_ type: String, _ audit: Audit, now: Moment) {
        noteJoined(audit.told, of: type, toldBy: audit.sender, foundAt: audit.foundAt, now: now)
        endAudit(of: type, now: now)
        // Where heads have moved on meanwhile, it is not known whether the fetch or a batch has changed this copy.
        guard cache.digest(of: type, buckets: 0..<256) != audit.ownDigest,
            audits.digests(of: type, toldBy: audit.sender) == audit.told, let stream = witness(of: audit, type)
        else { return }
        noteDifference(stream)
        noteMended(stream, by: .buckets, foundAt: audit.foundAt, now: now)
    }

    /// Deals with digests that still differ when the copy of the sender has been joined: this copy holds what the
    /// sender never had.
    ///
    /// A subscriber builds the type anew, unless an origin may have lost what this copy holds. A relay never does: what
    /// was pushed to it, or what an origin has lost, may be nowhere else. It gives up only what no correct origin can
    /// have written.
    func irreparable(_ type: String, _ buckets: [Int], now: Moment) {
        guard let audit = audits[type] else { return }
        counters[.irreparableDifferences] += 1
        notice(.irreparable, ["sender": label(audit.sender), "type": type, "buckets": "\(buckets.count)"])
        if configuration.forwardsBatches {
            guard audit.step.isVerifying else { return endAudit(of: type, now: now) }
            return fetchBuckets(buckets, of: type, isReplacing: true, now: now)
        }
        let mayHoldMore = streams.of(type: type).contains { $0.mayHoldMore(than: audit.sender) }
        // The difference ends when the rebuilt state is switched over.
        if !mayHoldMore { audits[type]?.difference = nil }
        endAudit(of: type, now: now)
        guard !mayHoldMore else { return }
        startAnew(
            [.data(type: type)], reason: "\(type) differs from \(label(audit.sender))",
            witness: audit.difference.map { ($0, audit.foundAt) }, now: now)
    }

    /// Replaces models by what the sender holds of them, where they have a version of the own name of the sender that
    /// is later than the stamp which the sender tells: no correct origin has written that.
    private func replace(_ buckets: [Int], of type: String, with fetched: [CellRecord], _ heads: [Heads], now: Moment) {
        guard let audit = audits[type] else { return }
        let origin = sessions[audit.sender.index].name
        guard let told = heads.first(where: { $0.origin == origin }), !told.isRelayed else { return }
        let replacements = Dictionary(fetched.map { (ExactText($0.id), $0) }) { $1 }
        let snapshot = cache.snapshot()
        // Where this copy stands at these heads, everything in it had been sent when they were read, so no correct
        // stamp in it is later.
        let comparability = comparability(of: type, with: audit.sender, now: now) {
            Replica.head(of: $0, in: [origin: told])
        }
        cache.commit { commit in
            for bucket in buckets {
                let range = bucket..<(bucket + 1)
                guard comparability[range] == .equal else { continue }
                snapshot.forEach(type: type, buckets: range, includingTombstones: true) { record in
                    let versions = [record.touched, record.floor].compactMap { $0 } + record.cells.map(\.version)
                    if versions.contains(where: { $0.origin == origin && $0.stamp > told.stamp }) {
                        commit.overwrite(type: type, id: record.id, with: replacements[ExactText(record.id)])
                    }
                    return true
                }
            }
        }
    }
}
