@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

/// The cache against dictionaries of records: random commits, snapshots that come and go, an observer.
struct ReferenceTests {
    private typealias World = [String: [String: CellRecord]]

    private struct Past {
        let snapshot: Snapshot
        let world: World
    }

    @Test func `reads, snapshots and changes agree with a dictionary of records`() {
        forEachSeed(400) { _, random in
            let cache = ModelCache()
            var world: World = [:]
            var pasts: [Past] = []
            var observers: [(Told, CacheObservation, Interest)] = []
            for step in 0..<60 {
                commit(to: cache, &world, step, &random)
                if Bool.random(using: &random) { pasts.append(Past(snapshot: cache.snapshot(), world: world)) }
                while pasts.count > 6 || (!pasts.isEmpty && Int.random(in: 0..<4, using: &random) == 0) {
                    pasts.remove(at: Int.random(in: 0..<pasts.count, using: &random))
                }
                for past in pasts { try compare(past, &random) }
                if step % 15 == 3 {
                    let interest = [Interest.everything, .type("A"), .model(type: "B", id: "id3")][step / 15 % 3]
                    let told = Told()
                    observers.append((told, cache.observe(interest, told), interest))
                }
            }
            try compare(Past(snapshot: cache.snapshot(), world: world), &random)
            for (told, _, interest) in observers { try compare(told.sets, interest, cache) }
        }
    }

    private func commit(to cache: ModelCache, _ world: inout World, _ step: Int, _ random: inout SeededGenerator) {
        let types = Bool.random(using: &random) ? ["A", "B"] : ["A"]
        var batches: [(String, TestBatch)] = []
        for type in types {
            var batch = TestBatch(origin: ["one", "two"][Int.random(in: 0..<2, using: &random)])
            for number in 0..<Int.random(in: 0..<50, using: &random) {
                let operation: UpdateOperation =
                    [.merge, .merge, .merge, .replace, .delete][Int.random(in: 0..<5, using: &random)]
                var fields: Fields = [:]
                if operation != .delete {
                    for _ in 0..<Int.random(in: 0..<3, using: &random) {
                        let value = Int64.random(in: 0..<3, using: &random)
                        fields["f\(Int.random(in: 0..<4, using: &random))"] = value == 0 ? .undefined : .int(value)
                    }
                }
                let stamp = Stamp(step * 30 + number + Int.random(in: 0..<60, using: &random))
                batch.add(operation, "id\(Int.random(in: 0..<40, using: &random))", fields, at: stamp)
            }
            batch.merge(into: &world[type, default: [:]])
            batches.append((type, batch))
        }
        cache.commit { commit in
            for (type, batch) in batches { commit.apply(batch, type) }
        }
    }

    private func compare(_ past: Past, _ random: inout SeededGenerator) throws {
        for type in ["A", "B"] {
            let records = past.world[type] ?? [:]
            try #require(past.snapshot.count(of: type) == records.values.count { $0.exists })
            for _ in 0..<5 {
                let id = "id\(Int.random(in: 0..<45, using: &random))"
                try #require(past.snapshot.record(type: type, id: id, includingTombstones: true) == records[id])
            }
            guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
            var scanned: [String: CellRecord] = [:]
            past.snapshot.forEach(type: type, includingTombstones: true) { record in
                scanned[record.id] = record
                return true
            }
            try #require(scanned == records)
        }
    }

    /// Each change starts where the last one ended, and the last one ends at what the cache holds.
    private func compare(_ sets: [ChangeSet], _ interest: Interest, _ cache: ModelCache) throws {
        var told: [String: [String: CellRecord]] = [:]
        for change in sets.flatMap({ Array($0) }) {
            let before = told[change.type]?[change.id]
            try #require(before?.values == change.old?.values)
            let isVisible = !change.changedFields.isEmpty || (change.old == nil) != (change.new == nil)
            try #require(change.isInitial || isVisible)
            told[change.type, default: [:]][change.id] = change.new
        }
        for type in ["A", "B"] {
            var now: [String: [String: Value]] = [:]
            for record in cache.snapshot().records(of: type) {
                switch interest {
                case .everything, .type(type), .model(type: type, id: record.id): now[record.id] = record.values
                default: break
                }
            }
            try #require((told[type] ?? [:]).mapValues(\.values) == now)
        }
    }
}
