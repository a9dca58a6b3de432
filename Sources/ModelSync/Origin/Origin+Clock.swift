@_spi(CacheWriting) import ModelCache
public import ModelRecord
import ModelWire

extension Origin {
    /// The starts that were given up because nobody took their stamps. What a store holds of their batches is void.
    public var voidIncarnations: [UInt64] { ahead.voids }

    /// How far the stamps lie ahead of the wall clock.
    public func clockLead(now: Moment) -> Duration {
        .milliseconds(Int64(clamping: (clock.last >> 16).subtractingOrZero(now.wallMilliseconds)))
    }

    /// Takes note of what a report tells of this origin, and of what its sender has refused from any origin.
    mutating func noteClock(of report: ReplicaReport, now: Moment) {
        guard isTooFarAhead(clock.last, now: now) else { return }
        let told = report.applied.reduce(Stamp(0)) { greatest, heads in
            heads.origin == configuration.name ? max(greatest, heads.incarnation, heads.stamp) : greatest
        }
        if isTooFarAhead(told, now: now) {
            ahead.review.takenAt = now.uptimeMicroseconds
            ahead.review.refusedSince = nil
            return
        }
        ahead.review.heldElsewhere = max(ahead.review.heldElsewhere, told)
        let counts = [Counters.Name.clockRejectedBatches, .clockRejectedHeads, .clockRejectedRecords]
        guard counts.contains(where: { report.counters[$0.label] ?? 0 > 0 }) else { return }
        ahead.review.refusedSince = ahead.review.refusedSince ?? now.uptimeMicroseconds
    }

    /// Logs that stamps lie ahead, and starts anew once it is known that nobody takes them.
    mutating func reviewClock(now: Moment) {
        ahead.jumps.look(clock, now: now)
        guard isTooFarAhead(clock.last, now: now) else {
            ahead.review = ClockReview()
            return
        }
        if !ahead.review.isTold {
            ahead.review.isTold = true
            let advice =
                "if the clock was ahead and is right now, nothing: it starts anew when somebody refuses its stamps; "
                + "if it was set back, set it right"
            outbox.actions.append(.notice(Notice(kind: .clockAhead, metadata: clockFacts(advice, now: now))))
        }
        guard let since = ahead.review.refusedSince, now.uptimeMicroseconds >= since + ClockReview.graceMicroseconds
        else {
            return
        }
        startAnewIfRefused(now: now)
    }

    /// Starts anew where another process refuses a batch because of its stamp. If the stamps lie too far ahead of this
    /// wall clock as well, and no process has taken them, the origin goes on as a new start with stamps of the present.
    /// What lay ahead is written again, with new stamps in the old order.
    /// - Parameter taken: the greatest stamp that a relay has acknowledged.
    /// - Returns: false where the origin goes on as it was.
    @discardableResult
    public mutating func startAnewIfRefused(taken: Stamp = 0, now: Moment) -> Bool {
        let isTaken = ahead.review.takenAt.map { now.uptimeMicroseconds < $0 + ClockReview.takenMicroseconds } ?? false
        guard isTooFarAhead(clock.last, now: now), !isTooFarAhead(taken, now: now), !isTaken else { return false }
        flush()
        ahead.jumps.look(clock, now: now)
        let facts = clockFacts("look after the clock of this machine", now: now)
        let limit = (now.wallMilliseconds + configuration.clockLeadMax.wholeMicroseconds / 1000) << 16 | 0xFFFF
        let (updates, last) = takeAhead(of: limit)
        ahead.voids.append(incarnation)
        // Stamps up to `limit` are not too far ahead: others may have taken everything there, also what was written
        // over since.
        let bounds = [
            last, taken, ahead.review.heldElsewhere, ahead.jumps.bound(below: limit),
            incarnation <= limit ? incarnation : 0,
        ]
        clock = HybridClock(last: bounds.max() ?? 0)
        ahead.jumps.look(clock, now: now)
        ahead.review = ClockReview()
        let heldSince = endings.leases.since
        beginIncarnation(after: clock.last, now: now)
        // A model that this run has leased has a stamp of the present, or is written again below.
        endings.leases.since = min(heldSince, incarnation)
        let count = writeAhead(updates, limit: limit, now: now)
        counters[.clockRenewals] += 1
        let metadata = facts.merging(["models": "\(count)"]) { first, _ in first }
        outbox.actions.append(.notice(Notice(kind: .clockRenewed, metadata: metadata)))
        return true
    }

    private func clockFacts(_ advice: String, now: Moment) -> [String: String] {
        let ahead = (clock.last >> 16).subtractingOrZero(now.wallMilliseconds)
        return ["origin": configuration.name, "ahead_ms": "\(ahead)", "advice": advice]
    }

    private struct AheadUpdate {
        let type: String
        let record: CellRecord
        let update: FormerPart.Update
    }

    /// The updates that lie past a stamp, in the order in which they were written, and the greatest stamp of all else.
    private func takeAhead(of limit: Stamp) -> (updates: [AheadUpdate], last: Stamp) {
        var updates: [AheadUpdate] = []
        var last: Stamp = 0
        let snapshot = cache.snapshot()
        for type in snapshot.types {
            snapshot.forEach(type: type, includingTombstones: true) { record in
                guard record.lastStamp > limit else {
                    last = max(last, record.lastStamp)
                    return true
                }
                let part = FormerPart(record, of: configuration.name) { $0 <= limit }
                last = max(last, part?.updates.last?.stamp ?? 0)
                let ahead = FormerPart(record, of: configuration.name) { $0 > limit }?.updates ?? []
                updates += ahead.map { AheadUpdate(type: type, record: record, update: $0) }
                return true
            }
        }
        return (updates.sorted { $0.update.stamp < $1.update.stamp }, last)
    }

    /// Writes updates again, each with a new stamp, and replaces what lies ahead in the own copy by them, in one step.
    /// - Returns: how many models the updates are of.
    private mutating func writeAhead(_ updates: [AheadUpdate], limit: Stamp, now: Moment) -> Int {
        // Each model is made anew: what does not lie ahead as it was, and the rest above it.
        let scratch = ModelCache()
        var models: [String: Set<ExactText>] = [:]
        for ahead in updates {
            if models[ahead.type, default: []].insert(ExactText(ahead.record.id)).inserted {
                let part = FormerPart(ahead.record, of: configuration.name) { $0 <= limit }
                for update in part?.updates ?? [] {
                    commit(update, stamp: update.stamp, ahead.record, to: scratch.table(ahead.type), of: scratch)
                }
            }
            let stamp = clock.tick(nowMilliseconds: now.wallMilliseconds)
            commit(ahead.update, stamp: stamp, ahead.record, to: scratch.table(ahead.type), of: scratch)
            guard let state = try? state(of: ahead.type), let fields = try? EncodedFields(ahead.update.fields) else {
                continue
            }
            append(
                ahead.update.operation, to: state.topicIndex(bucket: Fingerprint.bucket(idHash: ahead.record.idHash)),
                id: ahead.record.idBytes, fields: fields.bytes.span, fieldCount: fields.count, stamp: stamp, now: now)
        }
        cache.commit { commit in
            for (type, ids) in models {
                for id in ids.lazy.map(\.text) {
                    guard let record = scratch.record(type: type, id: id, includingTombstones: true) else { continue }
                    commit.overwrite(type: type, id: id, with: record)
                }
            }
        }
        return models.reduce(0) { $0 + $1.value.count }
    }

    private func commit(
        _ update: FormerPart.Update, stamp: Stamp, _ record: CellRecord, to table: ModelTable, of scratch: ModelCache
    ) {
        guard let fields = try? EncodedFields(update.fields) else { return }
        scratch.commit(
            UpdateView(
                operation: update.operation, stamp: stamp, origin: name.bytes.span, originHash: name.hash,
                id: record.idBytes, idHash: record.idHash, fields: fields.bytes.span, fieldCount: fields.count),
            in: table)
    }
}
