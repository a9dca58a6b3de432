extension Replica {
    /// Forgets deleted models and removed fields whose retention is over, while nothing older can be on its way.
    func sweepTombstones(now: Moment) {
        let retention = configuration.tombstoneRetention
        guard upkeep.sweep.takeTurn(retention: retention, now: now) else { return }
        clockGuard.presence(by: &upkeep.absences, now: now)
        guard streams.unsettled.isEmpty, groups.isEmpty, renewal == nil else { return }
        counters[.tombstonesDropped] += UInt64(upkeep.sweep.step(cache, retention: retention, now: now))
    }
}
