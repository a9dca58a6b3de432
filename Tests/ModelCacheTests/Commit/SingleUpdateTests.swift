@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

/// Commits of one update each, which write over the record where nobody can tell.
struct SingleUpdateTests {
    @Test func `whoever watches sees what the merge rule leads to, and what was stays as it was`() {
        forEachSeed(300) { seed, random in
            var play = SingleUpdatePlay(isOrigin: seed.isMultiple(of: 2))
            for _ in 0..<150 {
                try play.changeWatchers(&random)
                try play.update(&random)
            }
            try play.check()
        }
    }

    private let cache = ModelCache()
    private let table: ModelTable

    init() { table = cache.table("User") }

    /// Gives a model an age.
    @discardableResult
    private func set(_ age: Int64, of id: String = "1", byteCountMax: Int = .max) -> CommitSummary? {
        var batch = TestBatch()
        batch.add(.merge, id, ["age": .int(age), "name": "Ann"], at: Stamp(age) << 40)
        return batch.withView { view in
            var written: [UInt8] = []
            let result = cache.commitChanges(
                of: view.update(at: 0), in: table, byteCountMax: byteCountMax, written: &written)
            #expect(written.isEmpty == (result == nil))
            return result?.summary
        }
    }

    /// Whether the next update of model 1 is written over the record that it has.
    private func isWrittenOver(_ age: Int64) -> Bool {
        let before = table.address(of: "1")
        #expect(set(age)?.visible == 1)
        #expect(table["1"]?["age"] == .int(age))
        return table.address(of: "1") == before
    }

    @Test func `a record is written over where it is unless somebody has it, or gets records of his own`() {
        for age in 1...3 { set(Int64(age)) }
        #expect(isWrittenOver(4))
        let other = cache.observe(.model(type: "User", id: "2"), inline: { _ in })
        #expect(isWrittenOver(5))
        let told = Guarded<[String]>([])
        let own = cache.observe(
            .model(type: "User", id: "1"),
            inline: { set in told.withLock { $0 += set.map(\.changedFields.description) } })
        #expect(!isWrittenOver(6), "an observer with an inbox of its own gets records of its own")
        own.cancel()
        #expect(told.withLock { $0.count } == 2)
        let held = table["1"]
        #expect(!isWrittenOver(7))
        #expect(held?["age"] == 6)
        let snapshot = cache.snapshot()
        #expect(!isWrittenOver(8))
        #expect(snapshot["User", "1"]?["age"] == 7)
        withExtendedLifetime(other) {}
    }

    @Test func `who observes the type or everything keeps what he is told, and a journal what it notes`() {
        for age in 1...3 { set(Int64(age)) }
        for (age, interest) in [(4, .type("User")), (6, .everything)] as [(Int64, Interest)] {
            let kept = Guarded<ChangeSet?>(nil)
            let observation = cache.observe(interest, inline: { set in kept.withLock { $0 = set } })
            kept.withLock { $0 = nil }
            #expect(isWrittenOver(age))
            #expect(!isWrittenOver(age + 1), "what was told is kept")
            let last = kept.withLock { $0.take() }
            #expect(last?[0].old?["age"] == .int(age))
            #expect(last?[0].new?["age"] == .int(age + 1))
            observation.cancel()
        }
        cache.startJournal()
        #expect(!isWrittenOver(8))
        #expect(!isWrittenOver(9))
        #expect(cache.takeJournal().map { $0.record["age"] } == [8, 9])
    }

    @Test func `an update that is refused leaves the record, the digest and the number of commits`() throws {
        for age in 1...3 { set(Int64(age)) }
        let (record, digest) = (try #require(table["1"]), cache.bucketDigests(of: "User"))
        let number = cache.snapshot().commitNumber
        // One that would keep the size, and one that would not.
        for age in [4, 70_000] as [Int64] { #expect(set(age, byteCountMax: record.byteCount - 1) == nil) }
        #expect(table["1"] == record)
        #expect(cache.bucketDigests(of: "User") == digest)
        #expect(cache.snapshot().commitNumber == number)
        #expect(set(4, byteCountMax: record.byteCount)?.commitNumber == number + 1)
    }
}
