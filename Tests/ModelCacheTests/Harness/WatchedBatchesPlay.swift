import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

/// Batches of all kinds to a cache, beside the same by the merge rule alone, with observers of all kinds, of which some
/// keep what they were told.
struct WatchedBatchesPlay: ~Copyable {
    private let cache = ModelCache()
    private let table: ModelTable
    private var stamp: Stamp = 1 << 40
    /// What the cache has to hold. These records are no others' than the play's.
    private var models: [String: CellRecord] = [:]
    private var held: [(record: CellRecord, then: CellRecord)] = []
    private var observers: [Observer] = []
    private let queues = [DispatchQueue(label: "first"), DispatchQueue(label: "second")]

    private struct Step: Equatable {
        let id: String
        let old: CellRecord?
        let new: CellRecord?
        let fields: [String]

        init(_ id: String, _ old: CellRecord?, _ new: CellRecord?) {
            (self.id, self.old, self.new) = (id, old?.exists ?? false ? old : nil, new?.exists ?? false ? new : nil)
            // A model that is not there has no fields, whatever its tombstone knows.
            fields = (new ?? old)?.changedFields(since: old) ?? []
        }

        init(_ change: Change) {
            (id, old, new, fields) = (change.id, change.old, change.new, change.changedFields)
        }
    }

    private final class Told: Sendable {
        private struct State {
            var sets: [ChangeSet] = []
            var steps: [Step] = []
        }

        private let state = Guarded(State())
        private let isKeeping: Bool

        init(isKeeping: Bool) { self.isKeeping = isKeeping }

        func hear(_ set: ChangeSet) {
            guard !set.isInitial else { return }
            state.withLock { state in
                if isKeeping { state.sets.append(set) } else { state.steps += set.map(Step.init) }
            }
        }

        var steps: [Step] { state.withLock { $0.steps + $0.sets.flatMap { $0.map(Step.init) } } }
    }

    private struct Observer {
        let interest: Interest
        let told: Told
        let observation: CacheObservation
        var expected: [Step] = []

        init(_ interest: Interest, _ queue: DispatchQueue?, isKeeping: Bool, _ cache: ModelCache) {
            self.interest = interest
            let told = Told(isKeeping: isKeeping)
            self.told = told
            observation =
                if let queue {
                    cache.observe(interest, on: queue, { told.hear($0) })
                } else {
                    cache.observe(interest, inline: { told.hear($0) })
                }
        }

        func concerns(_ id: String) -> Bool {
            if case .model(_, let own) = interest { own == id } else { true }
        }
    }

    init() { table = cache.table("User") }

    private static func id(_ random: inout SeededGenerator) -> String {
        "model-\(Int.random(in: 0..<8, using: &random))"
    }

    /// Somebody comes or goes, or not.
    mutating func changeWatchers(_ random: inout SeededGenerator) {
        let id = Self.id(&random)
        switch Int.random(in: 0..<24, using: &random) {
        case 0, 1:
            if let record = cache.record(type: "User", id: id, includingTombstones: true), let then = models[id] {
                held.append((record, then))
            }
        case 2, 3: if !held.isEmpty { held.removeFirst() }
        case 4...7:
            let interest: Interest =
                switch Int.random(in: 0..<8, using: &random) {
                case 0: .everything
                case 1: .type("User")
                default: .model(type: "User", id: id)
                }
            let queue = Bool.random(using: &random) ? queues.randomElement(using: &random) : nil
            observers.append(Observer(interest, queue, isKeeping: .random(using: &random), cache))
        case 8, 9:
            guard !observers.isEmpty else { return }
            let index = Int.random(in: observers.indices, using: &random)
            observers[index].observation.cancel()
            observers.remove(at: index)
        default: break
        }
    }

    /// A batch, most of whose updates keep the size of the record; some models may come twice.
    mutating func commit(_ random: inout SeededGenerator) throws {
        func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
        var batch = TestBatch(origin: below(10) == 0 ? "other" : "test")
        for _ in 0..<(1 + below(6)) {
            stamp += Stamp(1 + below(3))
            let value: Value = below(6) == 0 ? .text("longer than before") : .int(Int64(below(5)))
            var fields: Fields = ["field\(below(3))": value, "last": .int(Int64(below(4)))]
            let operation: UpdateOperation = [.merge, .replace, .delete][max(below(20) - 17, 0)]
            if operation == .delete { fields = [:] }
            // Now and then a late one, or one that has come before.
            batch.add(operation, Self.id(&random), fields, at: below(8) == 0 ? stamp - Stamp(below(40)) : stamp)
        }
        let before = models
        batch.merge(into: &models)
        let summary = batch.commit(to: cache, in: table)
        try Self.demand(summary.changed + summary.unchanged == batch.count, "\(summary) of \(batch.count) updates")
        // A lane lets others use its queue after some calls.
        for queue in queues + queues { queue.sync {} }
        for (id, record) in models {
            try Self.demand(cache.record(type: "User", id: id, includingTombstones: true) == record, "\(id) differs")
            let step = Step(id, before[id], record)
            guard record.isVisiblyDifferent(from: before[id]) else { continue }
            for index in observers.indices where observers[index].concerns(id) {
                observers[index].expected.append(step)
            }
        }
    }

    private static func demand(_ holds: Bool, _ failure: String) throws {
        if !holds { throw CaseFailure(failure) }
    }

    /// Ends the play.
    func check() throws {
        for (record, then) in held { try Self.demand(record == then, "a record that was held has changed") }
        let copy = ModelCache()
        copy.commit { $0.join(Array(models.values), type: "User") }
        try Self.demand(cache.bucketDigests(of: "User") == copy.bucketDigests(of: "User"), "the digests differ")
        try Self.demand(cache.count(of: "User") == copy.count(of: "User"), "the counts differ")
        try Self.demand(cache.tombstoneCount(of: "User") == copy.tombstoneCount(of: "User"), "tombstones differ")
        for observer in observers {
            // Within a commit models come in any order.
            let told = Dictionary(grouping: observer.told.steps, by: \.id)
            let expected = Dictionary(grouping: observer.expected, by: \.id)
            try Self.demand(told == expected, "\(observer.interest) was told\n\(told)\nnot\n\(expected)")
            observer.observation.cancel()
        }
    }
}
