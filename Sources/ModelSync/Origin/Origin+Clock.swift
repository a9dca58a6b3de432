@_spi(CacheWriting) import ModelCache
public import ModelRecord
import ModelWire

/// Whether other processes take stamps that lie ahead of the wall clock of this origin.
///
/// A hybrid clock never goes back. After the wall clock was far ahead for a moment, every later stamp lies as far
/// ahead, and is refused everywhere until that time has come. So an origin whose stamps nobody takes starts anew.
///
/// A wall clock that was set *back* looks the same from here: the stamps lie ahead of it. But then others take the
/// stamps, and nothing must be changed. So the reports of others decide: an origin starts anew when a process has
/// refused what lies ahead and none has taken it.
struct ClockReview: Sendable {
    /// Since when a process has been refusing what lies ahead.
    var refusedSince: UInt64?
    /// When a process was last known to hold something that lies ahead.
    var takenAt: UInt64?
    /// The log was told that stamps lie ahead.
    var isTold = false

    /// How long a refusal must stand: the time of two reports, so that a process which takes the stamps has been heard,
    /// too.
    static let graceMicroseconds: UInt64 = 1_000_000
    /// How long it counts that a process has taken a stamp: the time of ten reports.
    static let takenMicroseconds: UInt64 = 10_000_000
}

/// Where the stamps of an origin stood before its clock jumped. Others may have taken what it wrote up to there, also
/// what it has written over since.
struct ClockJumps: Sendable {
    /// The stamp at the last look, and when that was.
    private var last: (stamp: Stamp, at: UInt64)?
    /// Above all stamps that were given before each of the last jumps, ascending.
    private var bounds: [Stamp] = []

    /// How far a clock may advance between two looks, beyond the time that has passed, without counting as a jump.
    private static let slackMilliseconds: UInt64 = 1_000
    private static let countMax = 8

    /// Looks at the clock, at least with each heartbeat.
    mutating func look(_ clock: HybridClock, now: Moment) {
        let stamp = max(clock.last, now.wallMilliseconds << 16)
        defer { last = (max(stamp, last?.stamp ?? 0), now.uptimeMicroseconds) }
        guard let last else { return }
        let passed = now.uptimeMicroseconds.subtractingOrZero(last.at) / 1000
        let bound = last.stamp + (passed + ClockJumps.slackMilliseconds) << 16
        guard stamp > bound else { return }
        bounds.append(bound)
        if bounds.count > ClockJumps.countMax { bounds.removeFirst() }
    }

    /// A bound that no stamp given before the clock jumped past `limit` exceeds; 0 where it is not known.
    func bound(below limit: Stamp) -> Stamp { bounds.last { $0 <= limit } ?? 0 }
}

extension Origin {
    /// The starts that were given up because nobody took their stamps. What a store holds of their batches is void.
    public var voidIncarnations: [UInt64] { voids }

    /// How far the stamps lie ahead of the wall clock.
    public func clockLead(now: Moment) -> Duration {
        .milliseconds(Int64(clamping: (clock.last >> 16).subtractingOrZero(now.wallMilliseconds)))
    }

    /// Takes note of what a report tells of this origin, and of what its sender has refused from any origin.
    mutating func noteClock(of report: Report, now: Moment) {
        guard isTooFarAhead(clock.last, now: now) else { return }
        let told = report.applied.filter { $0.origin == configuration.name }
        if told.contains(where: { isTooFarAhead(max($0.incarnation, $0.stamp), now: now) }) {
            clockReview.takenAt = now.uptimeMicroseconds
            clockReview.refusedSince = nil
            return
        }
        let counts = [Counters.Name.clockRejectedBatches, .clockRejectedHeads, .clockRejectedRecords]
        guard counts.contains(where: { report.counters[$0.label] ?? 0 > 0 }) else { return }
        clockReview.refusedSince = clockReview.refusedSince ?? now.uptimeMicroseconds
    }

    /// Logs that stamps lie ahead, and starts anew once it is known that nobody takes them.
    mutating func reviewClock(now: Moment) {
        clockJumps.look(clock, now: now)
        guard isTooFarAhead(clock.last, now: now) else {
            clockReview = ClockReview()
            return
        }
        if !clockReview.isTold {
            clockReview.isTold = true
            let advice =
                "if the clock was ahead and is right now, nothing: it starts anew when somebody refuses its stamps; "
                + "if it was set back, set it right"
            actions.append(.notice(Notice(kind: .clockAhead, metadata: clockFacts(advice, now: now))))
        }
        guard let since = clockReview.refusedSince, now.uptimeMicroseconds >= since + ClockReview.graceMicroseconds
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
        let isTaken = clockReview.takenAt.map { now.uptimeMicroseconds < $0 + ClockReview.takenMicroseconds } ?? false
        guard isTooFarAhead(clock.last, now: now), !isTooFarAhead(taken, now: now), !isTaken else { return false }
        flush()
        clockJumps.look(clock, now: now)
        let ahead = clockFacts("look after the clock of this machine", now: now)
        let limit = (now.wallMilliseconds + configuration.clockLeadMax.wholeMicroseconds / 1000) << 16 | 0xFFFF
        let (updates, last) = takeAhead(of: limit)
        voids.append(incarnation)
        // Stamps up to `limit` are not too far ahead: others may have taken everything there, also what was written
        // over since.
        let taken = max(last, clockJumps.bound(below: limit), incarnation <= limit ? incarnation : 0)
        clock = HybridClock(last: taken)
        clockReview = ClockReview()
        beginIncarnation(after: clock.last, now: now)
        let count = writeAhead(updates, limit: limit, now: now)
        counters[.clockRenewals] += 1
        let metadata = ahead.merging(["models": "\(count)"]) { first, _ in first }
        actions.append(.notice(Notice(kind: .clockRenewed, metadata: metadata)))
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
        var models: [String: Set<String>] = [:]
        for ahead in updates {
            let id = ahead.record.id
            if models[ahead.type, default: []].insert(id).inserted {
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
                for id in ids {
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
                operation: update.operation, stamp: stamp, origin: nameBytes.span, originHash: nameHash,
                id: record.idBytes, idHash: record.idHash, fields: fields.bytes.span, fieldCount: fields.count),
            in: table)
    }
}
