import Dispatch
import ModelCache
import Modelcast
import Synchronization

/// The last changes of a copy, in the order of its commits, within a bound of bytes: what an event stream goes on from
/// that was interrupted.
final class ChangeHistory: Sendable {
    private struct Entry {
        let set: ChangeSet
        let byteCount: Int
    }

    private struct State {
        var entries = Fifo<Entry>()
        var byteCount = 0
        /// Every change behind this commit is in `entries`.
        var floor: UInt64
    }

    private let cache: ModelCache
    private let queue: ChangeQueue
    private let state: Mutex<State>
    private let byteCountMax: Int

    /// - Parameter byteCountMax: about how many bytes the records of the changes may take.
    init(of cache: ModelCache, byteCountMax: Int) {
        self.cache = cache
        let worker = DispatchQueue(label: "modelcast.history")
        let bell = Bell()
        queue = cache.changeQueue(.everything, includingState: false) {
            worker.async { bell.history.withLock(\.value)?.pull() }
        }
        state = Mutex(State(floor: queue.commitNumber))
        self.byteCountMax = byteCountMax
        bell.history.withLock { $0.value = self }
        // Changes may have come before the bell was there.
        pull()
    }

    deinit { queue.cancel() }

    /// Breaks the circle of the history and its bell.
    private final class Bell: Sendable {
        struct Weak { weak var value: ChangeHistory? }
        let history = Mutex(Weak())
    }

    /// Takes every change of a commit that has ended.
    private func pull() { state.withLock { pull(&$0) } }

    private func pull(_ state: inout State) {
        while let set = queue.next() {
            if set.isFolded {
                // A folded set is a step of nobody.
                state = State(floor: set.commitNumber)
                continue
            }
            let byteCount = set.sections.reduce(0) { sum, part in
                part.positions.reduce(sum) { $0 + part.section.byteCount(at: $1) }
            }
            state.entries.append(Entry(set: set, byteCount: byteCount))
            state.byteCount += byteCount
        }
        while state.byteCount > byteCountMax, let entry = state.entries.removeFirst() {
            state.floor = entry.set.commitNumber
            state.byteCount -= entry.byteCount
        }
    }

    /// The changes behind a position up to a commit, and those of the position's own commit where not all of it was
    /// told. Waits for a commit that is under way.
    /// - Returns: nil where some of them have been forgotten.
    func changes(behind position: ChangePosition, through commitNumber: UInt64) -> [ChangeSet]? {
        // A commit counts a little before its changes are handed over. A stranger may have written the position.
        guard position.commitNumber <= commitNumber, commitNumber <= cache.deliveredCommitNumber else { return nil }
        return state.withLock { state in
            pull(&state)
            let first = position.last == nil ? position.commitNumber + 1 : position.commitNumber
            guard first > state.floor else { return nil }
            var sets: [ChangeSet] = []
            for index in 0..<state.entries.count {
                let set = state.entries[index].set
                if set.commitNumber >= first, set.commitNumber <= commitNumber { sets.append(set) }
            }
            return sets
        }
    }
}
