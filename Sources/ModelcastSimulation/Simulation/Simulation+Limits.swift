@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync

/// Subscribers whose copies have limits: models leave them, and come back where somebody asks.
extension Simulation {
    /// The copy with which a process starts: what its disk holds, but for types that have limits, which no store keeps.
    func copy(of node: SimulatedNode) -> ModelCache {
        let stored = node.disk.restored()
        guard let limits = node.limits else { return stored }
        let cache = ModelCache(limits: limits)
        let snapshot = stored.snapshot()
        cache.commit { commit in
            for type in snapshot.types.sorted() where !limits.mayEvict(type) {
                snapshot.forEach(type: type, includingTombstones: true) { record in
                    commit.join(record, type: type)
                    return true
                }
            }
        }
        return cache
    }

    /// Asks for some evicted models of a node.
    /// - Parameter count: how many, at most.
    func fetch(_ node: SimulatedNode, count: Int = .max) {
        guard let replica = node.subscriber, !isStopped(node) else { return }
        let wanted = Dictionary(grouping: evicted(of: node).prefix(count), by: \.type)
        for (type, keys) in wanted.sorted(by: { $0.key < $1.key }) {
            nextToken += 1
            node.asked[nextToken] = keys
            replica.fetch(keys.map(\.id), of: type, token: nextToken, now: moment(node))
        }
        settle(node)
    }

    /// The models that have left a copy, in the order in which they were published first.
    func evicted(of node: SimulatedNode) -> [ModelKey] {
        guard node.limits != nil, let cache = node.cache else { return [] }
        return oracle.models.filter { key in
            cache.presence(of: key.type, key.id) == .evicted && node.takes(key) && !isFound(missing: key, node)
        }
    }

    /// A copy that does not hold a model takes it for one that does not exist: a fetch has told so since the limits
    /// were lifted, or it is not among the ids that the copy knows.
    func isFound(missing key: ModelKey, _ node: SimulatedNode) -> Bool {
        guard let cache = node.cache,
            cache.record(type: key.type, id: key.id, includingTombstones: true) == nil
        else { return false }
        if cache.keepsIDs, cache.presence(of: key.type, key.id) == .absent { return true }
        return areLimitsLifted && node.missing.contains(key) && cache.presence(of: key.type, key.id) == .evicted
    }

    /// The copy knows the ids of all models.
    func keepsIDs(_ node: SimulatedNode) -> Bool { node.limits?.prefetch == .ids }

    /// Models may have been written since a fetch has not found them, so they are asked for again.
    func askAgain() {
        guard areLimitsLifted else { return }
        for node in nodes { node.missing = [] }
    }

    /// Lifts the limits, so that whatever is fetched stays.
    func liftLimits() {
        areLimitsLifted = true
        askAgain()
        for node in nodes where node.limits != nil {
            node.cache?.setLimits(CacheLimits(all: ModelLimits(count: .max)))
        }
    }
}
