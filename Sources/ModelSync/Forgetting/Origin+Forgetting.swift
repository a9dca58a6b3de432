extension Origin {
    /// Forgets deleted models and removed fields whose retention is over.
    mutating func sweepTombstones(now: Moment) {
        let retention = configuration.tombstoneRetention
        guard sweep.takeTurn(retention: retention, now: now) else { return }
        counters[.tombstonesDropped] += UInt64(sweep.step(cache, retention: retention, now: now))
    }
}
