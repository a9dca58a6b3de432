@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire

/// Models that end: the origin that has written ``FieldName/expires`` deletes the model at that time.
///
/// A model ends when both clocks have passed its end: the wall clock, and as much time as there was left when the end
/// was written. A wall clock that jumps ahead ends nothing early. While it is behind, the model waits for it alone, so
/// that it ends as soon as the clock is right again.
extension Origin {
    /// How many models one tick ends at most.
    static let endedCountMax = 1024

    /// Deletes the models whose end has come. ``tick(now:)`` does so, some at a time; an owner that has stored models
    /// calls it before it writes, so that no write is compared with a model whose time is over.
    public mutating func endExpired(now: Moment, countMax: Int = .max) {
        for _ in 0..<countMax {
            if let (key, end) = endings.expiries.take(now: now.uptimeMicroseconds) {
                endIfOver(key, end, now: now)
            } else if let (key, end) = endings.awaitingClock.take(now: now.wallMilliseconds) {
                // A model that was written meanwhile has an end of its own.
                if endings.expiries[key] == nil { endIfOver(key, end, now: now) }
            } else {
                return
            }
        }
    }

    /// Deletes a model whose end has come, and takes note of one that has not.
    /// - Parameter known: its end, as it was noted.
    private mutating func endIfOver(_ key: ModelKey, _ known: ExpiryQueue.End?, now: Moment) {
        guard let record = cache[key.type, key.id] else { return }
        if let left = timeLeft(ofFormerLease: record, now: now) {
            guard left > 0 else { return delete(key, now: now) }
            if let dueAt = Origin.due(in: left, now: now) { endings.expiries.note(key, dueAt: dueAt) }
        }
        guard let end = record.expires else { return }
        guard let known, known.wallMilliseconds == end else {
            return end > now.wallMilliseconds ? note(key, end: end, now: now) : delete(key, now: now)
        }
        guard known.dueAt <= now.uptimeMicroseconds else {
            return endings.expiries.note(key, dueAt: known.dueAt, end: known)
        }
        guard end > now.wallMilliseconds else { return delete(key, now: now) }
        if end - now.wallMilliseconds > Origin.lagMilliseconds {
            return endings.awaitingClock.note(key, dueAt: end, end: known)
        }
        if let dueAt = Origin.due(in: end - now.wallMilliseconds, now: now) {
            endings.expiries.note(key, dueAt: dueAt, end: known)
        }
    }

    /// By how much the wall clock may be behind and is not looked at each time, as two clocks never agree.
    private static let lagMilliseconds: UInt64 = 1_000

    /// The time that lies so many milliseconds ahead; nil for one that no clock reaches.
    private static func due(in milliseconds: UInt64, now: Moment) -> UInt64? {
        let (microseconds, isPast) = milliseconds.multipliedReportingOverflow(by: 1000)
        let (dueAt, isLate) = now.uptimeMicroseconds.addingReportingOverflow(microseconds)
        return isPast || isLate ? nil : dueAt
    }

    private mutating func delete(_ key: ModelKey, now: Moment) {
        // The names are those of a write that was taken, so no error comes.
        let outcome = try? write(.delete, type: key.type, id: key.id, fields: EncodedFields(), now: now)
        if let outcome, outcome != .unchanged { counters[.modelsExpired] += 1 }
    }

    /// Takes note of a write that may have said when its model ends, or that it is leased. An end that has passed is
    /// one at once.
    mutating func noteExpiry(of state: OriginType, _ id: Span<UInt8>, idHash: UInt64, now: Moment) {
        guard let record = state.table.record(id, idHash: idHash) else { return }
        if record.lease?.version.origin == configuration.name { endings.leases.isAny = true }
        guard let end = record.expires else { return }
        let key = ModelKey(type: state.name, id: record.id)
        if end > now.wallMilliseconds { note(key, end: end, now: now) } else { delete(key, now: now) }
    }

    /// Takes note of writes some of which may have said when their models end.
    mutating func noteExpiries(of writes: WriteBatch, now: Moment) {
        guard writes.updates.mayExpire else { return }
        let (bytes, slices) = (writes.updates.bytes, writes.updates.slices)
        for run in writes.runs {
            guard let state = topics.type(run.type) else { continue }
            for slice in slices[run.range] {
                noteExpiry(of: state, bytes.span.extracting(slice.idRange), idHash: slice.idHash, now: now)
            }
        }
    }

    /// Takes note of the end of a model that the copy has come to hold.
    mutating func noteExpiry(of id: String, type: String, now: Moment) {
        if let record = cache[type, id] { noteEnds(of: record, type: type, now: now) }
    }

    private mutating func noteEnds(of record: CellRecord, type: String, now: Moment) {
        let key = ModelKey(type: type, id: record.id)
        if record.lease?.version.origin == configuration.name { endings.leases.isAny = true }
        if let end = record.expires { note(key, end: end, now: now) }
        if let dueAt = timeLeft(ofFormerLease: record, now: now).flatMap({ Origin.due(in: $0, now: now) }) {
            endings.expiries.note(key, dueAt: dueAt)
        }
    }

    /// Takes note of the ends of all models that an earlier start has left.
    mutating func noteExpiries(now: Moment) {
        let snapshot = cache.snapshot()
        for type in snapshot.types {
            snapshot.forEach(type: type) { record in
                noteEnds(of: record, type: type, now: now)
                return true
            }
        }
    }

    private mutating func note(_ key: ModelKey, end: UInt64, now: Moment) {
        // An end that waits for the wall clock already is not noted again.
        guard endings.awaitingClock[key] != end else { return }
        // An end that no clock reaches needs no look.
        guard let dueAt = Origin.due(in: end.subtractingOrZero(now.wallMilliseconds), now: now) else { return }
        endings.expiries.note(key, dueAt: dueAt, end: ExpiryQueue.End(wallMilliseconds: end, dueAt: dueAt))
    }

    /// Some model should have been looked at more than a second ago. For tests.
    package func isLate(now: Moment) -> Bool {
        endings.expiries.dueAt.map { $0 &+ 1_000_000 < now.uptimeMicroseconds } ?? false
    }

    /// The first model whose end would be missed; nil where there is none. For tests.
    func forgottenExpiry() -> String? {
        let snapshot = cache.snapshot()
        for type in snapshot.types {
            var forgotten: String?
            snapshot.forEach(type: type) { record in
                let key = ModelKey(type: type, id: record.id)
                if record.expires.map({ $0 < UInt64.max / 1_000_000 }) ?? false, endings.expiries[key] == nil,
                    endings.awaitingClock[key] == nil
                {
                    forgotten = "\(type) \(record.id)"
                }
                return forgotten == nil
            }
            if let forgotten { return "the end of \(forgotten) is forgotten" }
        }
        return nil
    }
}
