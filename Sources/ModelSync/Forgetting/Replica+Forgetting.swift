extension Replica {
    /// Forgets deleted models and removed fields whose retention is over, while nothing older can be on its way.
    func sweepTombstones(now: Moment) {
        guard upkeep.sweep.takeTurn(now: now), streams.unsettled.isEmpty, groups.isEmpty, renewal == nil else { return }
        counters[.tombstonesDropped] += UInt64(
            upkeep.sweep.step(cache, retention: configuration.tombstoneRetention, now: now))
    }
}
