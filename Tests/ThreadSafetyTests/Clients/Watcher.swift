import Dispatch
import ModelCache
import ModelRecord
import Synchronization

/// An observer with a bad habit. It checks what it can while it is told, and keeps the rest for the log.
final class Watcher: Sendable {
    enum Habit: CaseIterable {
        case listens
        /// Cancels its observation from within a call.
        case cancels
        /// Releases the only reference to its token from within a call.
        case drops
        /// Registers another observer from within a call.
        case multiplies
        /// Waits within its first call until the play lets it go on.
        case blocks
    }

    /// Held by the handler and nobody else.
    final class Witness: Sendable {}

    private struct Inside {
        var token: CacheObservation?
        var registration: ClosedRange<UInt64> = 0...UInt64.max
        var told: [ToldSet] = []
        var isInCall = false
        /// Nothing may be told any more; or, where it was ended elsewhere, one call that was about to begin.
        var lateCallsAllowed: Int?
        var lateCalls = 0
        var faults: [String] = []
    }

    let interest: Interest
    let habit: Habit
    /// In which call it does what it is made for.
    private let moment: Int
    private let gate: Gate
    private let multiply: @Sendable () -> Void
    private let inside = Guarded(Inside())
    private let queue: DispatchQueue

    init(
        _ interest: Interest, _ habit: Habit, moment: Int, on queue: DispatchQueue, gate: Gate,
        multiply: @escaping @Sendable () -> Void
    ) {
        self.interest = interest
        self.habit = habit
        self.moment = moment
        self.queue = queue
        self.gate = gate
        self.multiply = multiply
    }

    var told: [ToldSet] { inside.withLock { $0.told } }
    var faults: [String] { inside.withLock { $0.faults } }
    /// It was ended, by itself or by somebody else.
    var isEnded: Bool { inside.withLock { $0.lateCallsAllowed != nil } }
    /// The commits after which it was registered.
    var registration: ClosedRange<UInt64> { inside.withLock { $0.registration } }

    /// Begins. The token is its own, so that only it can let go of it.
    /// - Returns: a look at what only the handler holds.
    func begin(_ cache: ModelCache) -> WeakWitness {
        let witness = Witness()
        let weakWitness = WeakWitness(witness)
        let before = cache.snapshot().commitNumber
        let token = cache.observe(interest, on: queue) { [weak self, witness] set in
            self?.hear(set)
            withExtendedLifetime(witness) {}
        }
        let after = cache.snapshot().commitNumber
        inside.withLock { inside in
            inside.token = token
            inside.registration = before...after
        }
        return weakWitness
    }

    private func hear(_ set: ChangeSet) {
        let count = inside.withLock { inside in
            if inside.isInCall { inside.faults.append("two calls at once") }
            inside.isInCall = true
            if let allowed = inside.lateCallsAllowed {
                inside.lateCalls += 1
                if inside.lateCalls > allowed { inside.faults.append("told after the end") }
            }
            inside.told.append(ToldSet(set))
            return inside.told.count
        }
        if habit == .blocks, count == 1 { gate.wait() }
        if count == moment { misbehave() }
        inside.withLock { $0.isInCall = false }
    }

    private func misbehave() {
        switch habit {
        case .listens, .blocks: break
        case .cancels: end(lateCalls: 0) { $0.cancel() }
        case .drops: end(lateCalls: 0) { _ in }
        case .multiplies: multiply()
        }
    }

    /// Ends it from anywhere: a call that was about to begin may still come.
    func endElsewhere() { end(lateCalls: 1) { $0.cancel() } }

    /// Ends it on its queue, which must be a serial one: nothing may come after.
    func endOnQueue() { queue.async { [self] in end(lateCalls: 0) { $0.cancel() } } }

    /// Ends it, if it has its token yet and has not been ended.
    /// - Parameters:
    ///   - lateCalls: how many calls may begin after `end` has returned and the token is released.
    ///   - end: what is done with the only reference to the token.
    private func end(lateCalls: Int, _ end: (consuming CacheObservation) -> Void) {
        let taken = inside.withLock { inside in
            defer { inside.token = nil }
            return inside.token
        }
        guard let token = taken else { return }
        end(token)
        inside.withLock { $0.lateCallsAllowed = lateCalls }
    }
}

/// A set as it was told, without what keeps the cache's memory.
struct ToldSet: Sendable {
    struct Entry: Sendable {
        let key: ModelKey
        let old: Contents?
        let new: Contents?
        let isFolded: Bool
        let fields: Set<String>
    }

    let commitNumber: UInt64
    let isInitial: Bool
    let entries: [Entry]
}

extension ToldSet {
    init(_ set: ChangeSet) {
        let entries = set.map { change in
            Entry(
                key: ModelKey(type: change.type, id: change.id), old: change.old?.values, new: change.new?.values,
                isFolded: change.isFolded, fields: Set(change.changedFields))
        }
        self.init(commitNumber: set.commitNumber, isInitial: set.isInitial, entries: entries)
    }
}

/// A weak reference that may be handed around.
struct WeakWitness: Sendable {
    private final class Holder: Sendable {
        weak let witness: Watcher.Witness?
        init(_ witness: Watcher.Witness) { self.witness = witness }
    }

    private let holder: Holder

    init(_ witness: Watcher.Witness) { holder = Holder(witness) }

    /// The handler is released.
    var isGone: Bool { holder.witness == nil }
}

/// Where some wait until others let them go on.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let waiting = Atomic<Int>(0)

    /// How many wait or have waited.
    var arrived: Int { waiting.load(ordering: .acquiring) }

    func wait() {
        waiting.add(1, ordering: .acquiringAndReleasing)
        semaphore.wait()
    }

    /// Lets so many go on, now or when they come.
    func open(for count: Int) { for _ in 0..<count { semaphore.signal() } }
}
