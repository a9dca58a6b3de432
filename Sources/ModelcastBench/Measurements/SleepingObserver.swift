import Dispatch
import Modelcast
import Synchronization

/// An observer that takes the initial state, and sleeps from the first change until it is woken.
final class SleepingObserver: Sendable {
    private struct State {
        var told: [String: CellRecord] = [:]
        var changeCount = 0
        var foldedCount = 0
        var residentByteCount: UInt64 = 0
        var observation: CacheObservation?
    }

    private let state = Mutex(State())
    private let woken = DispatchSemaphore(value: 0)

    func begin(_ observation: CacheObservation) { state.withLock { $0.observation = observation } }

    /// Ends the observation. A handler that still sleeps is woken.
    func end() {
        state.withLock { $0.observation.take() }?.cancel()
        wake()
    }

    /// Wakes the handler.
    func wake() { woken.signal() }

    /// Notes how much memory the process used before the observer slept.
    func note(_ residentByteCount: UInt64) { state.withLock { $0.residentByteCount = residentByteCount } }

    func take(_ changes: ChangeSet) {
        if !changes.isInitial, state.withLock({ $0.changeCount }) == 0 { woken.wait() }
        state.withLock { state in
            for change in changes {
                state.told[change.id] = change.new
                guard !changes.isInitial else { continue }
                state.changeCount += 1
                if change.isFolded { state.foldedCount += 1 }
            }
        }
    }

    var toldCount: Int { state.withLock { $0.told.count } }
    var changeCount: Int { state.withLock { $0.changeCount } }
    var foldedCount: Int { state.withLock { $0.foldedCount } }
    var residentByteCount: UInt64 { state.withLock { $0.residentByteCount } }

    /// True when the last state of each model that the observer was told is the one that the cache holds. The versions
    /// may be later ones: nobody is told of a commit that gives a field another value and the old one again.
    func holdsAll(of cache: ModelCache) -> Bool {
        let told = state.withLock { $0.told }
        guard told.count == cache.count(of: Workload.type) else { return false }
        return told.allSatisfy { id, record in
            cache[Workload.type, id].map { !$0.isVisiblyDifferent(from: record) } ?? false
        }
    }
}
