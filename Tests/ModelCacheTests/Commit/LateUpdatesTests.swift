@_spi(RecordWriting) import ModelRecord
import TestSupport
import Testing

@_spi(CacheWriting) @testable import ModelCache

/// Batches that change a large model many times.
struct LateUpdatesTests {
    /// Updates of all kinds to two models that are far above ``LateUpdates/byteCountMin``, and to a small one.
    private static func batches(seed: UInt64) -> [TestBatch] {
        var random = SeededGenerator(seed: seed)
        var stamp: Stamp = 1 << 40
        let filling = Value.text(String(repeating: "x", count: 30_000))
        var first = TestBatch()
        for id in ["a", "b"] { first.add(.merge, id, ["filling": filling], at: 1 << 39) }
        return [first]
            + (0..<8).map { _ in
                var batch = TestBatch()
                // Above and below the number of updates that are merged at once.
                for _ in 0..<Int.random(in: 2...700, using: &random) {
                    stamp += Stamp.random(in: 1...3, using: &random)
                    // Some updates are older than what is there.
                    let at = stamp - Stamp.random(in: 0...4, using: &random)
                    let field = "field\(Int.random(in: 0..<40, using: &random))"
                    let fields: Fields = [field: .int(.random(in: 0..<1_000, using: &random))]
                    let id = ["a", "a", "a", "b", "small"].randomElement(using: &random) ?? "a"
                    switch Int.random(in: 0..<60, using: &random) {
                    case 0: batch.add(.delete, id, at: at)
                    case 1: batch.add(.replace, id, ["filling": filling], at: at)
                    default: batch.add(.merge, id, fields, at: at)
                    }
                }
                return batch
            }
    }

    @Test(arguments: 0..<20 as Range<UInt64>, [false, true])
    func `a batch of many updates to a large model leads to what they lead to one by one`(
        _ seed: UInt64, _ isWatched: Bool
    ) {
        let cache = ModelCache()
        let table = cache.table("User")
        if isWatched { cache.startJournal() }
        var expected: [String: CellRecord] = [:]
        for batch in Self.batches(seed: seed) {
            let summary = batch.commit(to: cache, in: table)
            #expect(summary.changed + summary.unchanged == batch.count, "seed \(seed)")
            batch.merge(into: &expected)
            for (id, record) in expected {
                #expect(
                    cache.record(type: "User", id: id, includingTombstones: true) == record, "seed \(seed), model \(id)"
                )
            }
            let digest = expected.values.reduce(UInt64(0)) { $0 &+ $1.digest }
            #expect(cache.digest(of: "User") == digest, "seed \(seed)")
        }
    }

    @Test func `updates are joined two and two of about the same size`() {
        var late = LateUpdates()
        var plan = MergePlan()
        for count in 1...1_000 {
            var batch = TestBatch()
            batch.add(.merge, "a", ["f\(count)": 1], at: Stamp(count))
            batch.withView { late.add($0.update(at: 0), plan: &plan) }
            #expect(late.heldCount == count.nonzeroBitCount)
        }
        #expect(late.joined(plan: &plan)?["f1000"] == 1 && late.joined(plan: &plan)?["f1"] == 1)
    }
}
