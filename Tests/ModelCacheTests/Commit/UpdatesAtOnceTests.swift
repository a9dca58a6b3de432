import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

/// Commits of one batch that is merged at once, beside the same where somebody watches.
struct UpdatesAtOnceTests {
    /// Who watches; a snapshot and a journal keep a commit from merging at once.
    enum Watch: CaseIterable { case nobody, snapshot, observer, journal }

    /// Updates of all kinds to few models.
    /// - Parameter isRepeating: some models come twice in a batch; their updates then take the long way.
    private static func batches(seed: UInt64, isRepeating: Bool) -> [TestBatch] {
        var random = SeededGenerator(seed: seed)
        var stamp: Stamp = 1 << 40
        return (0..<40).map { _ in
            var batch = TestBatch()
            var numbers = Array(0..<12).shuffled(using: &random).prefix(Int.random(in: 1...12, using: &random))
            if isRepeating { numbers += numbers.prefix(Int.random(in: 1...numbers.count, using: &random)) }
            for number in numbers {
                stamp += Stamp.random(in: 1...3, using: &random)
                let id = "model-\(number)"
                // Most values keep their size, so that most updates are written where the record is.
                let value: Value =
                    Int.random(in: 0..<6, using: &random) == 0
                    ? .text("longer than before") : .int(.random(in: 0..<20, using: &random))
                let field = "field\(Int.random(in: 0..<4, using: &random))"
                switch Int.random(in: 0..<20, using: &random) {
                case 0: batch.add(.delete, id, at: stamp)
                case 1: batch.add(.replace, id, [field: value], at: stamp)
                case 2: batch.add(.merge, id, [field: value], at: stamp)
                default:
                    batch.add(.merge, id, [field: value, "last": .int(.random(in: 0..<20, using: &random))], at: stamp)
                }
            }
            return batch
        }
    }

    @Test(arguments: 0..<30 as Range<UInt64>, [false, true])
    func `watched or not, a batch leads to the same records, counts and digests`(_ seed: UInt64, _ isRepeating: Bool) {
        let batches = Self.batches(seed: seed, isRepeating: isRepeating)
        var ends: [[String: CellRecord]] = []
        var digests: Set<[UInt64]> = []
        var results: Set<[BatchSummary]> = []
        var counts: Set<Int> = []
        for watch in Watch.allCases {
            let cache = ModelCache()
            let table = cache.table("User")
            let snapshot = watch == .snapshot ? cache.snapshot() : nil
            let observation = watch == .observer ? cache.observe(.everything, inline: { _ in }) : nil
            if watch == .journal { cache.startJournal() }
            let summaries = batches.map { $0.commit(to: cache, in: table) }
            for (batch, summary) in zip(batches, summaries) {
                #expect(summary.changed + summary.unchanged == batch.count, "seed \(seed)")
            }
            results.insert(summaries)
            var records: [String: CellRecord] = [:]
            for number in 0..<12 {
                let id = "model-\(number)"
                records[id] = cache.record(type: "User", id: id, includingTombstones: true)
            }
            ends.append(records)
            digests.insert(cache.bucketDigests(of: "User"))
            counts.insert(cache.count(of: "User"))
            #expect(summaries.contains { $0.changed > 0 })
            #expect(snapshot?.count(of: "User") ?? 0 == 0, "a snapshot of before shows nothing")
            withExtendedLifetime(observation) {}
        }
        #expect(ends.allSatisfy { $0 == ends[0] }, "seed \(seed)")
        #expect(digests.count == 1, "seed \(seed)")
        #expect(results.count == 1, "seed \(seed)")
        #expect(counts.count == 1, "seed \(seed)")
    }

    /// Gives two models an age, in one batch.
    private func set(_ age: Int64, in table: ModelTable, of cache: ModelCache) {
        var batch = TestBatch()
        let stamp = Stamp(age) << 40
        batch.add(.merge, "1", ["age": .int(age)], at: stamp)
        batch.add(.merge, "2", ["age": .int(age)], at: stamp + 1)
        _ = batch.commit(to: cache, in: table)
    }

    /// Two models that may be written over.
    private func overwritable() -> (ModelCache, ModelTable) {
        let cache = ModelCache()
        let table = cache.table("User")
        for age in 1...3 { set(Int64(age), in: table, of: cache) }
        return (cache, table)
    }

    @Test func `a record that somebody holds, or a snapshot shows, stays as it is when its model changes`() {
        let (cache, table) = overwritable()
        let held = table["1"]
        let snapshot = cache.snapshot()
        set(4, in: table, of: cache)
        #expect(held?["age"] == 3)
        #expect(snapshot["User", "2"]?["age"] == 3)
        #expect(table["1"]?["age"] == 4)
        set(5, in: table, of: cache)
        #expect(held?["age"] == 3)
        #expect(snapshot["User", "1"]?["age"] == 3)
        #expect(table["2"]?["age"] == 5)
    }

    @Test func `an origin's update of a record that is too large is refused, whether somebody watches or not`() throws {
        for isWatched in [false, true] {
            let (cache, table) = overwritable()
            let observation = isWatched ? cache.observe(.type("User"), inline: { _ in }) : nil
            let size = try #require(table["1"]).byteCount
            for (byteCountMax, isTooLarge) in [(size - 1, true), (size, false)] {
                var changes = BatchChanges(byteCountMax: byteCountMax)
                var batch = TestBatch()
                batch.add(.merge, "1", ["age": 4], at: 4 << 40)
                batch.withView { _ = cache.commit(changesOf: $0, in: table, noting: &changes) }
                #expect(changes.entries.map(\.isTooLarge) == [isTooLarge])
                #expect(table["1"]?["age"] == (isTooLarge ? 3 : 4))
            }
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a record that nobody holds is written over where it is`() {
        let (cache, table) = overwritable()
        // Who has come and gone leaves nothing behind.
        for interest in [.type("User"), .model(type: "User", id: "2")] as [Interest] {
            cache.observe(interest, inline: { _ in }).cancel()
        }
        cache.observe(.model(type: "User", id: "none"), on: DispatchQueue(label: "none"), { _ in }).cancel()
        let before = table.address(of: "1")
        set(4, in: table, of: cache)
        #expect(table.address(of: "1") == before)
        let held = table["1"]
        set(5, in: table, of: cache)
        #expect(table.address(of: "1") != before)
        #expect(held?["age"] == 4)
    }
}
