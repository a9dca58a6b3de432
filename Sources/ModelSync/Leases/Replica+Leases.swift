@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

/// Leased models: readers see them as long as their origin is heard of, and no longer than the lease after that
/// (protocol article, "Models that end").
///
/// A model whose lease has ended is withdrawn from readers. It stays in the copy, unchanged, so nothing is different
/// for digests, repairs, peers and the store; and it is there at once, with all fields, when its origin is back.
extension Replica {
    /// Takes note of what heads tell of leases.
    func noteLeases(_ heads: Heads, of sender: SenderID, _ word: Word) {
        if leases[heads.origin] == nil {
            guard heads.leasesSince != nil else { return }
            leases.watch(heads.origin)
        }
        leases[heads.origin]?.hear(
            heads, from: sender.index, heartbeat: sessions[sender.index].heartbeatMicroseconds,
            isTrusted: word != .ignored)
    }

    /// The replica knows that the origin leases models. For tests.
    package func watchesLeases(of origin: String) -> Bool { leases[origin] != nil }

    /// How often all models were looked at for their leases. For tests.
    package var leaseLookCount: Int { leases.lookCount }

    /// A line on each origin that leases models. For the story of a failed seed.
    package func leaseTexts() -> [String] {
        leases.origins.compactMap { origin in leases[origin].map { "\(origin): \($0.text)" } }
    }

    /// Lets time pass for the leases, and withdraws and gives back models.
    func driveLeases(now: Moment) {
        guard let due = leases.nextStep, now.uptimeMicroseconds >= due else { return }
        stepLeases(now: now)
        lookAtLeases(now: now)
    }

    /// Looks at all models at once, because a sender becomes live: readers are to see nothing of it whose lease is
    /// over.
    ///
    /// Where the copies of others are on their way, the last of them does that: with a hundred senders a hundred looks
    /// would take longer than the copies. Until then a look goes on from step to step.
    func applyLeases(now: Moment) {
        guard !leases.isEmpty, !sessions.contains(where: \.handShake.isSyncing) else { return }
        stepLeases(now: now)
        leases.beginLook(at: now.uptimeMicroseconds, isForced: true)
        while leases.look != nil { lookAtLeases(now: now) }
    }

    private func stepLeases(now: Moment) {
        let elapsed = leases.begin(at: now.uptimeMicroseconds)
        let heartbeat = sessions.map(\.heartbeatMicroseconds).max() ?? 0
        let isLasting = sessions.map { isHeard($0, for: Replica.leaseContactMicroseconds, now: now) }
        let isAbsent = sessions.map { $0.absentUntil > now.uptimeMicroseconds }
        let isAnyLasting = isLasting.contains(true)
        for origin in leases.origins {
            let own = sessions.first { isOrigin($0, origin) }?.id.index
            leases[origin]?.step(elapsed, heartbeat: heartbeat, origin: own) { hasTold in
                own == nil
                    && sessions.allSatisfy { session in
                        let index = session.id.index
                        if isLasting[index] { return !hasTold(index) }
                        // A sender without a name has not been met since this process began. It may be the origin.
                        return session.name.isEmpty ? isAbsent[index] || isAnyLasting : !hasTold(index)
                    }
            } contact: { index in
                if isHeard(sessions[index], for: 0, now: now) { return .heard }
                guard index == own else { return .none }
                let isAlone = !isLasting.indices.contains { $0 != index && isLasting[$0] }
                return isAlone && !isAbsent[index] ? .none : .absent
            }
        }
        leases.end(heartbeat: heartbeat)
    }

    /// For how long contact with another sender must have stood before the silence of an origin counts: a network that
    /// comes back does not come back to all at once.
    private static let leaseContactMicroseconds: UInt64 = 5_000_000

    /// The sender is live, and has been for so long.
    private func isHeard(_ session: SenderSession, for microseconds: UInt64, now: Moment) -> Bool {
        session.isSynced
            && now.uptimeMicroseconds.subtractingOrZero(session.lastHeard)
                <= session.heartbeatMicroseconds * UInt64(configuration.silentIntervals)
            && now.uptimeMicroseconds >= session.handShake.since.addingOrMax(microseconds)
    }

    /// Looks at the next models of the copy, where a look is due or under way.
    private func lookAtLeases(now: Moment) {
        leases.beginLook(at: now.uptimeMicroseconds, isForced: false)
        guard var look = leases.look else { return }
        let snapshot = cache.snapshot()
        var types = look.types ?? snapshot.types.sorted()
        var left = Replica.leaseLookCount
        while left > 0, let type = types.last {
            var changed: [String] = []
            snapshot.forEach(type: type, buckets: look.bucket..<(look.bucket + 1), includingTombstones: true) {
                record in
                left -= 1
                if isToChange(record) { changed.append(record.id) }
                return true
            }
            if !changed.isEmpty { reviewLeases(of: type, changed) }
            look.bucket += 1
            guard look.bucket == 256 else { continue }
            look.bucket = 0
            types.removeLast()
        }
        look.types = types
        leases.look = look
        if types.isEmpty { leases.endLook(at: now.uptimeMicroseconds) }
    }

    /// Withdraws those of models that have just been fetched whose lease is over.
    func reviewLeases(ofFetched ids: [String], _ type: String) {
        let changed = ids.filter { id in
            cache.record(type: type, id: id, includingTombstones: true).map(isToChange) ?? false
        }
        if !changed.isEmpty { reviewLeases(of: type, changed) }
    }

    /// Takes note of the lease of a model, if it has one.
    /// - Returns: whether the model is to be withdrawn, or given back.
    private func isToChange(_ record: CellRecord) -> Bool {
        guard record.exists, let lease = record.lease else { return false }
        return leases.meet(lease, isWithdrawn: record.isWithdrawn) != record.isWithdrawn
    }

    /// How many models one step looks at, or those of one bucket.
    private static let leaseLookCount = 65_536

    /// Withdraws models, and gives others back, in one step for readers.
    private func reviewLeases(of type: String, _ ids: [String]) {
        let (counts, _) = cache.commit { commit -> [String: (ended: Int, returned: Int)] in
            var counts: [String: (ended: Int, returned: Int)] = [:]
            for id in ids {
                // Another writer may have changed the model since.
                let current = commit.current(type: type, id: id.utf8.span, idHash: Fingerprint.fnv(id))
                guard let current, current.exists, let lease = current.lease else { continue }
                let isOver = leases.isOver(lease, isWithdrawn: current.isWithdrawn)
                guard isOver != current.isWithdrawn else { continue }
                commit.setWithdrawn(isOver, type: type, id: id)
                let (ended, returned) = counts[lease.version.origin] ?? (0, 0)
                counts[lease.version.origin] = isOver ? (ended + 1, returned) : (ended, returned + 1)
            }
            return counts
        }
        for (origin, count) in counts.sorted(by: { $0.key < $1.key }) {
            counters[.leasesEnded] += UInt64(count.ended)
            counters[.leasesReturned] += UInt64(count.returned)
            let facts = ["origin": origin, "type": type, "silent_ms": "\((leases[origin]?.silent ?? 0) / 1000)"]
            if count.ended > 0 { notice(.leasesEnded, facts.merging(["models": "\(count.ended)"]) { $1 }) }
            if count.returned > 0 { notice(.leasesReturned, facts.merging(["models": "\(count.returned)"]) { $1 }) }
        }
    }
}
