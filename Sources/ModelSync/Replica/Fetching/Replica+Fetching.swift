@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

/// Models that have left the copy for its limits, and come back where somebody asks for them.
extension Replica {
    /// Brings models back that have been evicted. Those that are here count as fetched at once.
    ///
    /// The answer is ``ReplicaAction/fetched(token:records:)``, with the models that exist. It comes when senders can
    /// be asked, and have answered; the owner ends the waiting with ``cancelFetch(_:)``.
    /// - Parameters:
    ///   - ids: the ids; each counts once.
    ///   - token: a number of the owner's that is not in use.
    public func fetch(_ ids: [String], of type: String, token: UInt64, now: Moment) {
        var asker = FetchTable.Asker(type: type, remaining: [])
        let isLive = !sessions.isEmpty && sessions.allSatisfy(\.isSynced)
        let isEvicting = isLimited && cache.hasEvicted(type)
        for id in Set(ids.lazy.map(ExactText.init)).sorted() {
            switch cache.presence(of: type, id.text) {
            case .here: if let record = cache[type, id.text] { asker.found.append(record) }
            case .evicted: asker.remaining.insert(id)
            // A copy that is not live does not know. Nor does one that has evicted some for sure, as digests compare no
            // such type.
            case .absent: if !isLive || isEvicting { asker.remaining.insert(id) }
            }
        }
        guard !asker.remaining.isEmpty, admits(type, of: .reader) else {
            return actions.append(.fetched(token: token, records: asker.found))
        }
        fetches.add(token, asker)
        driveFetches(now: now)
    }

    /// Ends the waiting for models.
    /// - Returns: what is known of the senders that have been asked, a line each; nil where nobody waits under this
    ///   number.
    @discardableResult
    public func cancelFetch(_ token: UInt64) -> [String]? {
        guard let asker = fetches.remove(token) else { return nil }
        let open = fetches.open.filter { fetch in
            fetch.type == asker.type && fetch.ids.contains { asker.remaining.contains(ExactText($0)) }
        }
        return sessions.map { session in
            let asked = open.lazy.flatMap(\.asked).first { $0.sender == session.id }
            let state =
                switch asked?.hasAnswered {
                case true?: "has answered, and its copy lacks what was known here"
                case false?: session.isSynced ? "has not answered" : "is not reached"
                case nil where !session.isSynced: "is not reached"
                case nil: open.isEmpty ? "was not asked yet" : "was left out, as it has failed lately"
                }
            return "\(label(session.id)) \(state)"
        }
    }

    /// Evicts what is too much.
    func enforceLimits(now: Moment) {
        counters[.modelsEvicted] += UInt64(cache.enforceLimits(now: now.uptimeMicroseconds))
    }

    /// When something of what is being fetched is due.
    var nextFetchDeadline: UInt64 { fetches.open.lazy.map(\.deadline).min() ?? .max }

    /// Evicts what is too much, and goes on with what is being fetched.
    func driveFetches(now: Moment) {
        guard isLimited || !fetches.isIdle else { return }
        enforceLimits(now: now)
        // A renewal has put all fetches back. They begin again when it is over.
        guard renewal == nil else { return }
        beginAudit(now: now)
        for fetch in fetches.begin(now: now.uptimeMicroseconds) { cache.beginArrivals(fetch.ids, type: fetch.type) }
        for fetch in fetches.open { drive(fetch, now: now) }
    }

    private func drive(_ fetch: Fetch, now: Moment) {
        let time = now.uptimeMicroseconds
        for (sender, ask) in fetch.open {
            if !sessions[sender.index].isSynced {
                requests.end(ask.rid)
                fetch.fail(sender)
            } else if ask.dueAt <= time {
                // A stop of this process looks the same. So the first silence leaves a sender out for a second only.
                fail(fetch, sender, ask.rid, .silence, now: now)
            } else if ask.endsAt <= time {
                fail(fetch, sender, ask.rid, .abuse, now: now)
            }
        }
        if let next = fetch.nextRound {
            guard next <= time else { return }
            return ask(fetch, now: now)
        }
        let streams = streams.of(type: fetch.type)
        let isSettled = streams.allSatisfy { !$0.isUnsettled || $0.repair?.isInVain ?? false }
        switch fetch.standing(isSettled: isSettled, now: time) {
        case .awaitsAnswers: break
        case .lacks:
            // An audit that nobody has answered is over; the next comes soon.
            if fetch.purpose == .audits { return endAudit(fetch) }
            fetch.rest(now: time)
        case .complete:
            // Where no transaction goes over several topics, a model that is ahead of others does not matter.
            let mayBeAhead = fetch.purpose == .bringsBack && !origins.hasTransactions
            if !mayBeAhead, isAhead(fetch, now: now) { return }
            finish(fetch, now: now)
        }
    }

    /// Gives a request up. The sender is left out of fetches for a while.
    private func fail(
        _ fetch: Fetch, _ sender: SenderID, _ rid: UInt64, _ failure: FetchBackOff.Failure, now: Moment
    ) {
        let time = now.uptimeMicroseconds
        let askedAt = fetch.open.first { $0.sender == sender }?.ask.askedAt ?? time
        requests.end(rid)
        forgetParts(of: sender)
        fetch.fail(sender)
        sessions[sender.index].fetchBackOff.note(failure, askedAt: askedAt, at: time)
        if failure == .silence || failure == .abuse { send(.cancel(rid: rid), to: sender) }
    }

    /// Asks all senders: a publisher holds no more than its own part, and of relays one may lack what another has.
    private func ask(_ fetch: Fetch, now: Moment) {
        let time = now.uptimeMicroseconds
        let live = sessions.filter(\.isSynced)
        let senders = live.filter { $0.fetchBackOff.until <= time }.map(\.id)
        guard !senders.isEmpty else {
            return fetch.rest(until: live.lazy.map(\.fetchBackOff.until).min() ?? time + Fetch.pauseMicroseconds)
        }
        var rids: [SenderID: UInt64] = [:]
        for sender in senders {
            let rid = requests.begin(.fetch(fetch.number), at: sender)
            rids[sender] = rid
            counters[.fetchesRequested] += 1
            send(.fetch(rid: rid, type: fetch.type, ids: fetch.ids), to: sender)
        }
        let all = Fetch.Senders(
            required: sessions.map(\.id).filter { sender in
                sessions[sender.index].holdsUncovered && !fetches.lostSenders.contains(sender)
            },
            counted: Set(live.lazy.filter { !$0.fetchBackOff.isGivenUp(at: time) }.map(\.id)),
            isAnyAway: live.count < sessions.count)
        let unbelieved = sessions.lazy.filter { !$0.claimPause.isOver(at: time) }.map(\.id)
        fetch.begin(
            rids, among: all, streams.of(type: fetch.type), unbelieved: Set(unbelieved), lost: fetches.lost, now: time,
            timeout: patience(0))
    }

    /// Whether answers are ahead of this copy, and the batches are to be awaited that they are ahead by.
    ///
    /// Answers for which that was in vain are taken: else a sender that tells of what nobody has would keep all that
    /// differs from being mended. And its answers are not waited for again for a while, however far they are ahead.
    private func isAhead(_ fetch: Fetch, now: Moment) -> Bool {
        let time = now.uptimeMicroseconds
        let ahead = fetch.answers.filter { !isCaughtUp(with: $0.heads) }.map { sessions[$0.sender.index] }
        guard !ahead.isEmpty || !groups.isEmpty else { return false }
        let isAwaited = !groups.isEmpty || ahead.contains { $0.catchUpPause.isOver(at: time) }
        if isAwaited, fetch.isCatchingUp(at: time) { return true }
        if isAwaited { for session in ahead { session.catchUpPause.takeTurn(at: time) } }
        // A difference from what is ahead means nothing.
        fetch.mayDiffer = true
        return false
    }

    /// Whether this copy has applied all that these heads tell, so that nothing shows before the rest of its
    /// transaction.
    private func isCaughtUp(with heads: [Heads]) -> Bool {
        heads.allSatisfy { told in
            // The origin's state from before a start that is not followed here yet stands in no head of that start. A
            // first batch of it moves one stream alone, and the next heads move the others.
            let followed = streams.of(origin: told.origin).lazy.filter { !$0.isPushed }.map(\.incarnation).min()
            if let followed, followed < told.incarnation { return false }
            return told.heads.allSatisfy { head in
                guard isWanted(head.topic) else { return true }
                guard let stream = streams[StreamKey(origin: told.origin, topic: head.topic)] else {
                    return head.sequence == 0
                }
                if head.sequence == 0 { return !stream.beginning.isAwaited }
                // A later start counts once what came before it is here.
                return (stream.incarnation > told.incarnation && !stream.beginning.isAwaited)
                    || (stream.incarnation == told.incarnation && stream.tracker.applied >= head.sequence)
            }
        }
    }

    private func finish(_ fetch: Fetch, now: Moment) {
        for (sender, ask) in fetch.open {
            requests.end(ask.rid)
            send(.cancel(rid: ask.rid), to: sender)
        }
        switch fetch.purpose {
        case .bringsBack:
            cache.commit { commit in commit.endArrivals(fetch.ids, type: fetch.type, isSure: fetch.isSure) }
            reviewLeases(ofFetched: fetch.ids, fetch.type)
            fetches.end(fetch)
            fetches.noteLost(by: fetch)
            for claimant in fetch.vainClaimants {
                sessions[claimant.index].claimPause.takeTurn(at: now.uptimeMicroseconds)
            }
            if !fetch.hasAll { fetches.noteUnsure(fetch) }
            leases.noteArrivals()
            let done = fetches.deliver(fetch) { id in
                let record = cache[fetch.type, id]
                if record != nil { counters[.modelsFetched] += 1 }
                return record
            }
            for (token, records) in done { actions.append(.fetched(token: token, records: records)) }
        case .audits:
            if fetch.hasAll { fetches.end(fetch) } else { endAudit(fetch) }
            compare(fetch, now: now)
        }
    }

    // MARK: Answers

    /// Takes note that a part of an answer has come.
    /// - Parameter hasRejected: records of it were left out for their clocks.
    func noteFetched(_ number: UInt64, byteCount: Int, hasRejected: Bool, rid: UInt64, of sender: SenderID, now: Moment)
    {
        guard let fetch = fetches[number], fetch.isOpen(rid) else { return }
        let time = now.uptimeMicroseconds
        fetch.goOn(sender, byteCount: byteCount, hasRejected: hasRejected, dueAt: time + patience(3))
        guard fetches.open.reduce(0, { $0 + $1.byteCount(of: sender) }) > Fetch.byteCountMax else { return }
        // All fetches with records of this sender begin anew: its records cannot be told from those of other senders.
        fail(fetch, sender, rid, .abuse, now: now)
        notice(.fetchOverrun, ["sender": label(sender), "bytes": "\(Fetch.byteCountMax)", "type": fetch.type])
        for fetch in fetches.open where fetch.byteCount(of: sender) > 0 { putBack(fetch, isTooLarge: false) }
    }

    /// Takes records of an answer.
    func keep(_ records: [CellRecord], type: String, of number: UInt64) {
        guard let fetch = fetches[number], fetch.type == type else { return }
        let asked = Set(fetch.ids.lazy.map(ExactText.init))
        let records = records.filter { asked.contains(ExactText($0.id)) }
        switch fetch.purpose {
        case .bringsBack: cache.keepArriving(records, type: type)
        case .audits: fetch.keep(records)
        }
    }

    /// Takes the end of an answer.
    func completeFetch(_ number: UInt64, rid: UInt64, of sender: SenderID, _ heads: [Heads], now: Moment) {
        requests.end(rid)
        guard let fetch = fetches[number], fetch.isOpen(rid) else { return }
        sessions[sender.index].lastHeard = now.uptimeMicroseconds
        // The heads say whether an origin has transactions over several topics, which must not show in part.
        noteOrigins(heads, of: sender, now: now)
        // Records that were left out for their clocks may be taken the next time.
        guard !fetch.hasRejected(of: sender) else { return fail(fetch, sender, rid, .clock, now: now) }
        sessions[sender.index].fetchBackOff.noteAnswer()
        fetch.answer(of: sender, named: sessions[sender.index].name, heads, at: now.uptimeMicroseconds)
        drive(fetch, now: now)
    }

    /// Takes a refusal. What is too large for one answer is asked for in smaller parts.
    func failFetch(_ number: UInt64, rid: UInt64, of sender: SenderID, isTooLarge: Bool, now: Moment) {
        requests.end(rid)
        guard let fetch = fetches[number], fetch.isOpen(rid) else { return }
        guard isTooLarge, fetch.ids.count > 1 else { return fail(fetch, sender, rid, .refusal, now: now) }
        putBack(fetch, isTooLarge: true)
    }

    /// Ends a fetch whose models are to be asked for anew. What has come is dropped.
    private func putBack(_ fetch: Fetch, isTooLarge: Bool) {
        for (_, ask) in fetch.open { requests.end(ask.rid) }
        if fetch.purpose == .bringsBack { cache.cancelArrivals(fetch.ids, type: fetch.type) }
        fetches.putBack(fetch, isTooLarge: isTooLarge)
    }

    /// Puts all fetches back, as the copy is built anew: what has come of their models may be older than deletes are
    /// remembered.
    func putBackFetches() {
        for fetch in fetches.open { putBack(fetch, isTooLarge: false) }
    }

    // MARK: A lazy copy

    /// Sees to the models of a type in a lazy copy, because something of the type was passed over that no batch will
    /// bring: the heads of a sender have been taken without its records.
    ///
    /// The models that are held are compared at once, as after a hole that others mend by records. Those on their way
    /// back, or being compared, are asked for anew. The time for which they are waited for counts from the begin, so
    /// that a sender which claims something else each time keeps no model away, and none from being compared.
    func reviewHeld(of type: String, now: Moment) {
        for fetch in fetches.open where fetch.type == type {
            for (sender, ask) in fetch.open {
                requests.end(ask.rid)
                forgetParts(of: sender)
            }
            switch fetch.purpose {
            case .bringsBack:
                cache.cancelArrivals(fetch.ids, type: type)
                cache.beginArrivals(fetch.ids, type: type)
            case .audits:
                fetch.mayDiffer = true
            }
            fetch.beginAnew(now: now.uptimeMicroseconds)
        }
        fetches.noteUnsure(cache.evictDeletes(of: type), of: type)
    }

    /// Lets go of all models of a lazy copy below these prefixes, and brings those back that must stay. For a copy that
    /// may hold what was deleted so long ago that no comparison tells.
    func fetchHeldAnew(below prefixes: [Topic]) {
        for type in cache.types.sorted() where prefixes.contains(where: { Topic.data(type: type).overlaps($0.bytes) }) {
            let (count, staying) = cache.evictAll(of: type)
            counters[.modelsEvicted] += UInt64(count)
            fetches.bringBack(staying, of: type)
        }
    }

    // MARK: The audit of what is held

    /// Compares some models of a type of which others have been evicted, now and then: the digests of a copy that does
    /// not hold all tell nothing.
    private func beginAudit(now: Moment) {
        guard isLimited, now.uptimeMicroseconds >= fetches.audit.at || fetches.hasUrgent, !fetches.isAuditing,
            sessions.contains(where: \.isSynced)
        else { return }
        fetches.audit.at = now.uptimeMicroseconds + configuration.reportInterval.wholeMicroseconds
        if let unsure = fetches.takeUnsure() { return fetches.beginAudit(of: unsure, now: now.uptimeMicroseconds) }
        let types = cache.types.filter { cache.hasEvicted($0) }.sorted()
        guard let type = types.first(where: { $0 >= fetches.audit.type }) ?? types.first else { return }
        if type != fetches.audit.type { fetches.audit = AuditPlace(type: type, at: fetches.audit.at) }
        let ids = nextAudited(type)
        if fetches.audit.bucket == 256 {
            // The next type, or the first one again.
            fetches.audit = AuditPlace(type: types.first { $0 > type } ?? "", at: fetches.audit.at)
        }
        guard !ids.isEmpty else { return }
        fetches.beginAudit(of: type, ids, now: now.uptimeMicroseconds)
    }

    /// The next models of the type, in the order of buckets and ids. Deleted ones are among them: one may exist again,
    /// and nothing have told of that here.
    private func nextAudited(_ type: String) -> [String] {
        let snapshot = cache.snapshot()
        let size = fetches.size(of: type)
        var ids: [String] = []
        while ids.count < size, fetches.audit.bucket < 256 {
            let (bucket, last) = (fetches.audit.bucket, fetches.audit.last)
            var more: [ExactText] = []
            snapshot.forEach(type: type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
                let id = ExactText(record.id)
                if last.map({ $0 < id }) ?? true { more.append(id) }
                return true
            }
            let part = more.sorted().prefix(size - ids.count)
            ids += part.map(\.text)
            if part.count < more.count {
                fetches.audit.last = part.last
            } else {
                (fetches.audit.bucket, fetches.audit.last) = (bucket + 1, nil)
            }
        }
        return ids
    }

    /// Ends an audit that has not told everything. What it was to make sure of is compared again.
    private func endAudit(_ fetch: Fetch) {
        fetches.end(fetch)
        if fetch.isUnsure { fetches.noteUnsure(fetch) }
    }

    /// Joins what the senders hold of models that are held here.
    ///
    /// A difference is told where all that the senders tell of has been applied here, and what makes it is too old to
    /// be on its way: a relay may hold what lies beyond a hole of its own, and no head tells of that.
    private func compare(_ fetch: Fetch, now: Moment) {
        fetches.comparisonCount += 1
        let isSettled = streams.of(type: fetch.type).allSatisfy { !$0.isUnsettled }
        let old = now.wallMilliseconds.subtractingOrZero(Claim.patienceMicroseconds / 1000) << 16
        var differing = 0
        cache.commit { commit in
            for record in fetch.records {
                let (id, hash) = (record.idBytes, record.idHash)
                // Also one that is not shown, as it was deleted or its lease has ended since.
                guard let held = commit.current(type: fetch.type, id: id, idHash: hash, isUse: false) else { continue }
                commit.join(record, type: fetch.type)
                let joined = commit.current(type: fetch.type, id: id, idHash: hash, isUse: false)
                // By their digests, which do not count what may have been forgotten.
                if joined?.digest != held.digest, record.lastStamp < old { differing += 1 }
            }
        }
        guard isSettled, differing > 0, !fetch.mayDiffer else { return }
        counters[.digestMismatches] += 1
        notice(
            .digestMismatch,
            ["type": fetch.type, "models": "\(differing)", "compared": "\(fetch.ids.count) of those held"])
    }
}
