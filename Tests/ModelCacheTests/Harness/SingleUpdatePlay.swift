@_spi(CacheWriting) import ModelCache
@_spi(RecordWriting) import ModelRecord
import TestSupport
import Testing

/// Single updates of all kinds to a cache, beside the same by the merge rule alone, with watchers that come and go.
struct SingleUpdatePlay: ~Copyable {
    private let cache = ModelCache()
    private let table: ModelTable
    /// Updates are committed as their origin does.
    private let isOrigin: Bool
    private var plan = MergePlan()
    private var stamp: Stamp = 1 << 40
    private var commitNumber: UInt64 = 0
    /// What the cache has to hold. These records are no others' than the play's.
    private var models: [String: CellRecord] = [:]
    private var held: [(record: CellRecord, then: CellRecord)] = []
    private var snapshots: [(snapshot: Snapshot, then: [String: CellRecord])] = []
    private var observers: [Observer] = []
    /// What the journal has to hold; nil while there is none.
    private var noted: [CellRecord]?

    private struct Step: Equatable {
        let old: CellRecord?
        let new: CellRecord?
    }

    /// An observer of all models, or of one.
    private struct Observer {
        let id: String?
        let told = Told()
        let observation: CacheObservation
        var expected: [Step] = []

        init(_ id: String?, _ cache: ModelCache) {
            self.id = id
            let told = told
            observation = cache.observe(
                id.map { .model(type: "User", id: $0) } ?? .type("User"), inline: { told.hear($0) })
        }

        func check() throws {
            let steps = told.sets.filter { !$0.isInitial }.flatMap { set in
                set.map { Step(old: $0.old, new: $0.new) }
            }
            try #require(steps == expected)
        }
    }

    init(isOrigin: Bool) {
        self.isOrigin = isOrigin
        table = cache.table("User")
    }

    private static func id(_ random: inout SeededGenerator) -> String {
        "model-\(Int.random(in: 0..<6, using: &random))"
    }

    /// Somebody comes or goes, or not.
    mutating func changeWatchers(_ random: inout SeededGenerator) throws {
        let id = Self.id(&random)
        switch Int.random(in: 0..<40, using: &random) {
        case 0, 1:
            if let record = cache.record(type: "User", id: id, includingTombstones: true) {
                held.append((record, try #require(models[id])))
            }
        case 2, 3: if !held.isEmpty { try Self.check(held.removeFirst()) }
        case 4: snapshots.append((cache.snapshot(), models))
        case 5, 6: if !snapshots.isEmpty { try Self.check(snapshots.removeFirst()) }
        case 7: observers.append(Observer(Bool.random(using: &random) ? nil : id, cache))
        case 8, 9:
            guard !observers.isEmpty else { return }
            let observer = observers.removeFirst()
            observer.observation.cancel()
            try observer.check()
        case 10:
            // Late, as it does not end.
            guard noted == nil, Int.random(in: 0..<8, using: &random) == 0 else { return }
            cache.startJournal()
            noted = []
        default: break
        }
    }

    /// One update, most of the time one that keeps the size of the record.
    mutating func update(_ random: inout SeededGenerator) throws {
        let id = Self.id(&random)
        func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
        stamp += Stamp(1 + below(3))
        let value: Value = below(6) == 0 ? .text("longer than before") : .int(Int64(below(5)))
        var fields: Fields = ["field\(below(3))": value, "last": .int(Int64(below(4)))]
        let operation: UpdateOperation = [.merge, .replace, .delete][max(below(20) - 17, 0)]
        if operation == .delete { fields = [:] }
        var batch = TestBatch(origin: below(10) == 0 ? "other" : "test")
        // Now and then a late one, or one that has come before.
        batch.add(operation, id, fields, at: below(8) == 0 ? stamp - Stamp(below(40)) : stamp)
        let byteCountMax = isOrigin && below(10) == 0 ? (models[id]?.byteCount ?? 0) - below(2) : .max
        try batch.withView { try apply($0.update(at: 0), id, byteCountMax: byteCountMax) }
    }

    private mutating func apply(_ update: UpdateView, _ id: String, byteCountMax: Int) throws {
        let old = models[id]
        let merge = CellRecord.applying(update, to: old, plan: &plan, keepingEqual: isOrigin)
        let isRefused = merge.record.map { $0.byteCount > byteCountMax } ?? false
        let made = isRefused ? nil : merge.record
        commitNumber += made == nil ? 0 : 1
        let expected = CommitSummary(
            changed: made == nil ? 0 : 1, visible: made != nil && merge.isVisible ? 1 : 0,
            unchanged: made == nil ? 1 : 0, conflictingCells: merge.conflictingCells, commitNumber: commitNumber)
        if isOrigin {
            var pairs: [UInt8] = []
            let count = made == nil ? 0 : plan.appendWritten(of: update.fields, to: &pairs)
            var written: [UInt8] = []
            let result = cache.commitChanges(of: update, in: table, byteCountMax: byteCountMax, written: &written)
            if result?.isWhole == true {
                try #require(written.isEmpty)
                for index in update.fields.indices { written.append(update.fields[index]) }
            }
            try #require(written == pairs)
            try #require(result?.summary == (isRefused ? nil : expected))
            try #require(result?.count ?? 0 == count)
        } else {
            try #require(cache.commit(update, in: table) == expected)
        }
        if let made { note(old, made, isVisible: merge.isVisible, id) }
        try #require(cache.record(type: "User", id: id, includingTombstones: true) == models[id])
    }

    private mutating func note(_ old: CellRecord?, _ new: CellRecord, isVisible: Bool, _ id: String) {
        models[id] = new
        noted?.append(new)
        guard isVisible else { return }
        let step = Step(old: old.flatMap { $0.exists ? $0 : nil }, new: new.exists ? new : nil)
        for index in observers.indices where observers[index].id ?? id == id { observers[index].expected.append(step) }
    }

    // MARK: What has to be so at any time

    /// Ends the play.
    func check() throws {
        for pair in held { try Self.check(pair) }
        for pair in snapshots { try Self.check(pair) }
        for observer in observers { try observer.check() }
        try #require(cache.takeJournal().map(\.record) == noted ?? [])
        let copy = ModelCache()
        copy.commit { $0.join(Array(models.values), type: "User") }
        try #require(cache.bucketDigests(of: "User") == copy.bucketDigests(of: "User"))
        try #require(cache.count(of: "User") == copy.count(of: "User"))
        try #require(cache.tombstoneCount(of: "User") == copy.tombstoneCount(of: "User"))
    }

    private static func check(_ held: (record: CellRecord, then: CellRecord)) throws {
        try #require(held.record == held.then)
    }

    private static func check(_ held: (snapshot: Snapshot, then: [String: CellRecord])) throws {
        var models: [String: CellRecord] = [:]
        held.snapshot.forEach(type: "User", includingTombstones: true) { record in
            models[record.id] = record
            return true
        }
        try #require(models == held.then)
    }
}
