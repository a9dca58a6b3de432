import Dispatch
import ModelCache
import ModelRecord
import TestSupport
import Testing

/// Random commits, registrations and cancellations, on queues that stand still and go on, held against a plain model.
@Suite(.timeLimit(.minutes(15)))
struct SharedInboxPropertyTests {
    @Test func `each observer is told what a plain model says, and what it was told stays as it was`() {
        forEachSeed(30) { _, random in
            let play = SharedInboxPlay()
            for _ in 0..<Int.random(in: 50...400, using: &random) { play.step(&random) }
            play.end()
            for fault in play.faults { throw CaseFailure(fault) }
        }
    }
}

private typealias Contents = [String: Value]

/// One observer as the test sees it.
private final class Listener: Sendable {
    struct State {
        /// What it must be told: the state after each commit since its registration.
        var expected: [(commitNumber: UInt64, contents: Contents?)] = []
        var told: [ChangeSet] = []
        /// The contents of what was told, as they were then.
        var seen: [(old: Contents?, new: Contents?)] = []
        var isEnded = false
        var faults: [String] = []
    }

    let id: String
    let state: Guarded<State>

    init(_ id: String, _ now: Contents?, _ commitNumber: UInt64) {
        self.id = id
        state = Guarded(State(expected: [(commitNumber, now)]))
    }

    func hear(_ set: ChangeSet) {
        state.withLock { state in
            if state.isEnded { state.faults.append("\(id) was told after its end") }
            if set.count != 1 || set[0].id != id { state.faults.append("\(id) was told of \(set.map(\.id))") }
            state.told.append(set)
            state.seen.append((set.first?.old?.values, set.first?.new?.values))
        }
    }

    /// Nothing is told any more; called where no call can be under way.
    func end() { state.withLock { $0.isEnded = true } }

    func check() -> [String] {
        let state = state.withLock { $0 }
        var faults = state.faults
        var known: Contents?
        var number: UInt64?
        for (set, seen) in zip(state.told, state.seen) {
            guard let change = set.first else { continue }
            if change.old?.values != seen.old || change.new?.values != seen.new {
                faults.append("\(id): what was told of commit \(set.commitNumber) is another now")
            }
            let isFirst = number == nil
            if set.isInitial != (isFirst && state.expected[0].contents != nil) {
                faults.append("\(id): an initial state at the wrong place, commit \(set.commitNumber)")
            }
            if let number, set.commitNumber <= number {
                faults.append("\(id): commit \(set.commitNumber) after \(number)")
            }
            if !set.isInitial, change.old?.values != known { faults.append("\(id): a gap at \(set.commitNumber)") }
            let then = state.expected.last { $0.commitNumber <= set.commitNumber }
            if change.new?.values != then?.contents { faults.append("\(id): another state at \(set.commitNumber)") }
            (known, number) = (change.new?.values, set.commitNumber)
        }
        if !state.isEnded, known != state.expected.last?.contents { faults.append("\(id) was not told the last state") }
        return faults
    }
}

private final class SharedInboxPlay {
    private let cache = ModelCache()
    private let queues = (0..<3).map { DispatchQueue(label: "lane \($0)") }
    private var isSuspended = [false, false, false]
    private var models: [String: Contents] = [:]
    private var open: [(listener: Listener, token: CacheObservation, queue: Int)] = []
    private var all: [Listener] = []
    private var stamp: Stamp = 0
    private(set) var faults: [String] = []
    private let ofType = Guarded<[String: Contents]>([:])
    private var typeToken: CacheObservation?

    func step(_ random: inout SeededGenerator) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: register(&random)
        case 5..<7: cancel(&random)
        case 7: toggle(Int.random(in: 0..<3, using: &random))
        case 8: toggleTypeObserver()
        case 9: burst(&random)
        default: commit(&random)
        }
    }

    private func register(_ random: inout SeededGenerator) {
        let id = "id\(Int.random(in: 0..<12, using: &random))"
        let queue = Int.random(in: 0..<3, using: &random)
        let listener = Listener(id, models[id], cache.snapshot().commitNumber)
        let token = cache.observe(.model(type: "User", id: id), on: queues[queue]) { listener.hear($0) }
        open.append((listener, token, queue))
        all.append(listener)
    }

    private func cancel(_ random: inout SeededGenerator) {
        guard !open.isEmpty else { return }
        let (listener, token, queue) = open.remove(at: Int.random(in: open.indices, using: &random))
        if isSuspended[queue] {
            // No call is under way.
            token.cancel()
            listener.end()
        } else {
            queues[queue].sync {
                token.cancel()
                listener.end()
            }
        }
    }

    private func toggle(_ queue: Int) {
        if isSuspended[queue] { queues[queue].resume() } else { suspend(queue) }
        isSuspended[queue].toggle()
    }

    /// From within, so that no call is under way on it afterwards.
    private func suspend(_ queue: Int) { queues[queue].sync { queues[queue].suspend() } }

    /// With one who observes the type, sections are shared another way.
    private func toggleTypeObserver() {
        typeToken = typeToken == nil ? cache.observe(.type("User"), on: queues[0]) { _ in } : nil
    }

    private func commit(_ random: inout SeededGenerator, models count: Int = 4) {
        var batch = TestBatch()
        var next = models
        for _ in 0..<Int.random(in: 1...count, using: &random) {
            let id = "id\(Int.random(in: 0..<12, using: &random))"
            stamp += 1
            if Int.random(in: 0..<8, using: &random) == 0 {
                batch.add(.delete, id, at: stamp)
                next[id] = nil
            } else {
                let field = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                // Long enough that memory of records is used again in another way.
                let filling = String(repeating: "x", count: Int.random(in: 0...60, using: &random))
                let value = Value.text(filling + "\(stamp)")
                batch.add(.merge, id, Fields([field: value]), at: stamp)
                next[id, default: [:]][field] = value
            }
        }
        _ = batch.commit(to: cache, in: cache.table("User"))
        let number = cache.snapshot().commitNumber
        for (listener, _, _) in open where next[listener.id] != models[listener.id] {
            listener.state.withLock { $0.expected.append((number, next[listener.id])) }
        }
        models = next
    }

    /// So many that they are folded where a queue stands still.
    private func burst(_ random: inout SeededGenerator) {
        guard Int.random(in: 0..<8, using: &random) == 0 else { return }
        for _ in 0..<1_500 { commit(&random, models: 8) }
    }

    func end() {
        for queue in 0..<3 where isSuspended[queue] { toggle(queue) }
        // A drain that has told its share queues behind this one; so each is asked until it is through.
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            for queue in queues { queue.sync {} }
            if open.allSatisfy({ $0.listener.check().isEmpty }) { break }
        }
        faults += all.flatMap { $0.check() }
        for (listener, token, queue) in open {
            queues[queue].sync {
                token.cancel()
                listener.end()
            }
        }
    }
}
