import Dispatch
import Foundation
import ModelCache
import Modelcast
import Synchronization

/// The last changes of a copy, in the order of its commits, within a bound of bytes: what an event stream goes on from
/// that was interrupted, and what tells who has written something.
final class ChangeHistory: Sendable {
    /// The changes of a commit.
    struct Entry {
        let set: ChangeSet
        fileprivate let byteCount: Int
        /// The number of its first change: how many changes came before it.
        let first: UInt64
        /// When it came, in milliseconds since 1970.
        let time: UInt64
    }

    /// The changes that are kept at one moment.
    struct Kept {
        /// The oldest first.
        let entries: Fifo<Entry>
        let byteCount: Int
        /// Every change that came after this time is there, in milliseconds since 1970.
        let since: UInt64
    }

    private struct State {
        var entries = Fifo<Entry>()
        var byteCount = 0
        /// How many changes have come.
        var changeCount: UInt64 = 0
        /// Every change behind this commit, and after this time, is in `entries`.
        var floor: UInt64
        var since: UInt64
    }

    private let cache: ModelCache
    private let queue: ChangeQueue
    private let state: Mutex<State>
    /// About how many bytes the records of the changes may take.
    let byteCountMax: Int
    private let distributions: CopyDistributions
    private let isComplete = Atomic<Bool>(false)

    /// - Parameters:
    ///   - byteCountMax: about how many bytes the records of the changes may take.
    ///   - distributions: is told of each commit.
    init(of cache: ModelCache, byteCountMax: Int, _ distributions: CopyDistributions) {
        self.cache = cache
        self.distributions = distributions
        let worker = DispatchQueue(label: "modelcast.history")
        let bell = Bell()
        queue = cache.changeQueue(.everything, evictions: true, includingState: false) {
            worker.async { bell.history.withLock(\.value)?.pull() }
        }
        state = Mutex(State(floor: queue.commitNumber, since: ChangeHistory.milliseconds))
        self.byteCountMax = byteCountMax
        bell.history.withLock { $0.value = self }
        // Changes may have come before the bell was there.
        pull()
    }

    deinit { queue.cancel() }

    /// Takes note that the copy has been complete: what comes from now on is kept.
    func begin() {
        guard !isComplete.load(ordering: .relaxed) else { return }
        state.withLock { state in
            pull(&state)
            isComplete.store(true, ordering: .relaxed)
        }
    }

    /// The time of now since 1970.
    private static var milliseconds: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }

    /// Breaks the circle of the history and its bell.
    private final class Bell: Sendable {
        struct Weak { weak var value: ChangeHistory? }
        let history = Mutex(Weak())
    }

    /// Takes every change of a commit that has ended.
    private func pull() { state.withLock { pull(&$0) } }

    private func pull(_ state: inout State) {
        while let set = queue.next() {
            let time = ChangeHistory.milliseconds
            if !set.isFolded { distributions.note(set, at: time) }
            guard isComplete.load(ordering: .relaxed), !set.isFolded else {
                // The state that a copy is told when it begins is no change, and a folded set is a step of nobody.
                state = State(changeCount: state.changeCount, floor: set.commitNumber, since: time)
                continue
            }
            let byteCount = set.sections.reduce(0) { sum, part in
                part.positions.reduce(sum) { $0 + part.section.byteCount(at: $1) }
            }
            state.entries.append(Entry(set: set, byteCount: byteCount, first: state.changeCount, time: time))
            state.changeCount += UInt64(set.count)
            state.byteCount += byteCount
        }
        while state.byteCount > byteCountMax, let entry = state.entries.removeFirst() {
            (state.floor, state.since) = (entry.set.commitNumber, entry.time)
            state.byteCount -= entry.byteCount
        }
    }

    /// About how many bytes the kept changes take.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// All that is kept now.
    var kept: Kept {
        state.withLock { state in
            pull(&state)
            return Kept(entries: state.entries, byteCount: state.byteCount, since: state.since)
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
