import Dispatch
import ModelCache
import ModelRecord

/// Comes and goes: registers observers of every kind from wherever it is called, and ends some of them.
final class ObserverClient: StressClient {
    private struct Inside {
        var random: SeededGenerator
        var open: [Watcher] = []
        var all: [Watcher] = []
        var witnesses: [WeakWitness] = []
        var listeners: [StreamListener] = []
    }

    private let cache: ModelCache
    private let gate: Gate
    private let inside: Guarded<Inside>
    private let concurrent = DispatchQueue(label: "watchers", attributes: .concurrent)
    /// More are not registered: each is told every change.
    private let watcherMax: Int

    init(_ number: Int, seed: UInt64, _ cache: ModelCache, gate: Gate, watcherMax: Int) {
        self.cache = cache
        self.gate = gate
        self.watcherMax = watcherMax
        inside = Guarded(Inside(random: SeededGenerator(seed: Fingerprint.mix(seed &+ UInt64(number) << 28))))
    }

    var watchers: [Watcher] { inside.withLock { $0.all } }
    var witnesses: [WeakWitness] { inside.withLock { $0.witnesses } }
    var listeners: [StreamListener] { inside.withLock { $0.listeners } }

    func step() {
        let (choice, count) = inside.withLock { inside in
            (Int.random(in: 0..<16, using: &inside.random), inside.all.count + inside.listeners.count)
        }
        switch choice {
        case 0..<3 where count < watcherMax: register(nil)
        case 3 where count < watcherMax: listen()
        case 4: pick()?.endElsewhere()
        case 5: pick()?.endOnQueue()
        case 6: inside.withLock { $0.listeners.randomElement(using: &$0.random) }?.cancel()
        default: break
        }
    }

    /// Registers observers that wait within their first call.
    func registerBlocked(_ interests: [Interest]) {
        for interest in interests { register(interest, .blocks) }
    }

    private func register(_ wanted: Interest?, _ habit: Watcher.Habit? = nil) {
        let watcher = inside.withLock { inside -> Watcher in
            let habits = Watcher.Habit.allCases.filter { $0 != .blocks }
            let chosen = habit ?? habits.randomElement(using: &inside.random) ?? .listens
            let isSerial = Int.random(in: 0..<3, using: &inside.random) > 0
            let watcher = Watcher(
                wanted ?? ObserverClient.interest(&inside.random), chosen,
                moment: 1 + Int.random(in: 0..<30, using: &inside.random),
                on: isSerial ? DispatchQueue(label: "watcher", qos: .utility) : concurrent, gate: gate,
                multiply: { [weak self] in self?.register(nil, .listens) })
            inside.all.append(watcher)
            if isSerial, chosen != .blocks { inside.open.append(watcher) }
            return watcher
        }
        let witness = watcher.begin(cache)
        inside.withLock { $0.witnesses.append(witness) }
    }

    private func listen() {
        let interest = inside.withLock { ObserverClient.interest(&$0.random) }
        let listener = StreamListener(interest, cache)
        inside.withLock { $0.listeners.append(listener) }
    }

    /// One of those that may be ended, once.
    private func pick() -> Watcher? {
        inside.withLock { inside in
            guard !inside.open.isEmpty else { return nil }
            return inside.open.remove(at: Int.random(in: inside.open.indices, using: &inside.random))
        }
    }

    private static func interest(_ random: inout SeededGenerator) -> Interest {
        let key = OperationGenerator.keys.randomElement(using: &random) ?? OperationGenerator.keys[0]
        return [.everything, .type(key.type), .model(type: key.type, id: key.id)].randomElement(using: &random)
            ?? .everything
    }
}

/// A task that listens to a stream until it is cancelled.
final class StreamListener: Sendable {
    let interest: Interest
    /// The commits after which it was registered.
    let registration: ClosedRange<UInt64>
    private let state = Guarded<(told: [ToldSet], isEnded: Bool)>(([], false))
    private let task = Guarded<Task<Void, Never>?>(nil)

    init(_ interest: Interest, _ cache: ModelCache) {
        self.interest = interest
        let before = cache.snapshot().commitNumber
        let stream = cache.changes(interest)
        registration = before...cache.snapshot().commitNumber
        let listening = Task { [state = Weak(self)] in
            for await set in stream { state.value?.hear(set) }
        }
        task.withLock { $0 = listening }
    }

    var told: [ToldSet] { state.withLock { $0.told } }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    private func hear(_ set: ChangeSet) { state.withLock { $0.told.append(ToldSet(set)) } }

    func cancel() {
        state.withLock { $0.isEnded = true }
        task.withLock { $0 }?.cancel()
    }

    /// Returns when the loop has ended, which it does only once it was cancelled.
    func waitForEnd() async { await task.withLock { $0 }?.value }

    private struct Weak: Sendable {
        weak let value: StreamListener?
        init(_ value: StreamListener) { self.value = value }
    }
}
