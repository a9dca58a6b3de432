import Dispatch
import ModelCache
import ModelRecord
import Synchronization

/// An observer of everything in one copy, held to the contract of observation: what it was told, folded, is what the
/// copy holds; nothing is told twice; the changed fields are those that changed.
///
/// The observer's queue is suspended except while the simulation waits for it, so a run stays the same whatever threads
/// do.
final class ObserverWatch: Sendable {
    private struct State {
        var known: [ModelKey: CellRecord] = [:]
        var fault: String?
        var toldCount = 0
    }

    private let queue: DispatchQueue
    private let state: Mutex<State>
    private let observation: Mutex<CacheObservation?>
    private let cache: ModelCache

    init(_ cache: ModelCache, label: String) {
        self.cache = cache
        let queue = DispatchQueue(label: label)
        queue.suspend()
        self.queue = queue
        state = Mutex(State())
        observation = Mutex(nil)
        let token = cache.observe(.everything, on: queue) { [weak self] set in self?.receive(set) }
        observation.withLock { $0 = token }
    }

    /// Ends the observation, and resumes the queue: a suspended queue must not be released.
    func stop() {
        let token = observation.withLock { token in
            defer { token = nil }
            return token
        }
        guard let token else { return }
        token.cancel()
        queue.resume()
    }

    /// Lets the queue deliver all changes that wait, and compares what was told with the cache.
    /// - Returns: the first fault.
    func look() -> String? {
        queue.resume()
        defer { queue.suspend() }
        // The empty block runs behind the observation's turns that are queued. A long turn queues another one behind
        // it, so this repeats until nothing more was told.
        var told = -1
        while true {
            queue.sync {}
            let count = state.withLock { $0.toldCount }
            if count == told { break }
            told = count
        }
        return state.withLock { state in state.fault ?? ObserverWatch.difference(state.known, cache) }
    }

    private static func difference(_ known: [ModelKey: CellRecord], _ cache: ModelCache) -> String? {
        let snapshot = cache.snapshot()
        var count = 0
        var fault: String?
        for type in snapshot.types {
            snapshot.forEach(type: type) { record in
                count += 1
                let told = known[ModelKey(type: type, id: record.id)]
                if told?.values != record.values {
                    fault = "an observer was told \(told.map { "\($0)" } ?? "nothing") and \(record) is there"
                }
                return fault == nil
            }
        }
        if fault == nil, count != known.count { fault = "an observer knows \(known.count) models of \(count)" }
        return fault
    }

    private func receive(_ set: ChangeSet) {
        state.withLock { state in
            state.toldCount += 1
            var keys: Set<ModelKey> = []
            for change in set {
                let key = ModelKey(type: change.type, id: change.id)
                if !keys.insert(key).inserted { state.fault = state.fault ?? "\(key) stands twice in one change set" }
                let known = state.known[key]
                if change.isInitial {
                    if known != nil { state.fault = state.fault ?? "\(key) was told twice at first" }
                } else {
                    state.fault = state.fault ?? ObserverWatch.fault(change, known)
                }
                state.known[key] = change.new
            }
        }
    }

    private static func fault(_ change: Change, _ known: CellRecord?) -> String? {
        let name = "\(change.type) \(change.id)"
        let (old, new) = (change.old?.values ?? [:], change.new?.values ?? [:])
        guard (known == nil) == (change.old == nil), known?.values ?? [:] == old else {
            return "the change of \(name) starts from another state than was told last"
        }
        guard old != new || (change.old == nil) != (change.new == nil) else {
            return "\(name) was told without a change"
        }
        let changed = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
        guard Set(change.changedFields) == changed else {
            return "\(name) was told with the changed fields \(change.changedFields), not \(changed.sorted())"
        }
        return nil
    }
}
