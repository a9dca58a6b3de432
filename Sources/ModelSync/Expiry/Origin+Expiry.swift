import ModelCache
import ModelRecord
import ModelWire

/// Models that end: the origin that has written ``FieldName/expires`` deletes the model at that time.
///
/// A model ends when both clocks have passed its end: the wall clock, and as much time as there was left when the end
/// was written. A wall clock that jumps ahead ends nothing early.
extension Origin {
    /// How many models one tick ends at most.
    static let endedCountMax = 1024

    /// Deletes the models whose end has come. ``tick(now:)`` does so, some at a time; an owner that has stored models
    /// calls it before it writes, so that no write is compared with a model whose time is over.
    public mutating func endExpired(now: Moment, countMax: Int = .max) {
        for _ in 0..<countMax {
            guard let key = endings.expiries.take(now: now.uptimeMicroseconds) else { return }
            guard let record = cache[key.type, key.id] else { continue }
            if let left = timeLeft(ofFormerLease: record, now: now) {
                guard left > 0 else {
                    delete(key, now: now)
                    continue
                }
                note(key, end: now.wallMilliseconds + left, now: now)
            }
            guard let end = record.expires else { continue }
            guard end <= now.wallMilliseconds else {
                note(key, end: end, now: now)
                continue
            }
            delete(key, now: now)
        }
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
        let ends = [record.expires, timeLeft(ofFormerLease: record, now: now).map { now.wallMilliseconds + $0 }]
        if record.lease?.version.origin == configuration.name { endings.leases.isAny = true }
        for case let end? in ends { note(ModelKey(type: type, id: record.id), end: end, now: now) }
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
        let left = end.subtractingOrZero(now.wallMilliseconds)
        let (microseconds, isPast) = left.multipliedReportingOverflow(by: 1000)
        let (dueAt, isLate) = now.uptimeMicroseconds.addingReportingOverflow(microseconds)
        // An end that no clock reaches needs no look.
        if !isPast, !isLate { endings.expiries.note(key, dueAt: dueAt) }
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
                if record.expires.map({ $0 < UInt64.max / 1_000_000 }) ?? false, endings.expiries[key] == nil {
                    forgotten = "\(type) \(record.id)"
                }
                return forgotten == nil
            }
            if let forgotten { return "the end of \(forgotten) is forgotten" }
        }
        return nil
    }
}
