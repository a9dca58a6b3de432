@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

struct CommitTests {
    @Test func `a committed model is read by type and id`() {
        let cache = ModelCache()
        let summary = cache.commit("User", "42", ["age": 30], at: 1)
        #expect(summary == CommitSummary(changed: 1, visible: 1, unchanged: 0, conflictingCells: 0, commitNumber: 1))
        #expect(cache["User", "42"]?["age"] == 30)
        #expect(cache["User", "43"] == nil)
        #expect(cache["Account", "42"] == nil)
        #expect(cache.table("User")["42"]?["age"] == 30)
        #expect(cache.count(of: "User") == 1)
        #expect(cache.types == ["User"])
    }

    @Test func `a table handle may be made before the type has models`() {
        let cache = ModelCache()
        let table = cache.table("User")
        #expect(table["1"] == nil)
        #expect(cache.types.isEmpty)
        cache.commit("User", "1", ["age": 1], at: 1)
        #expect(table["1"]?["age"] == 1)
        #expect(table.type == "User")
    }

    @Test func `a deleted model is hidden and kept as a tombstone`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["age": 1], at: 1)
        let summary = cache.commit("User", "1", as: .delete, at: 2)
        #expect(summary.visible == 1)
        #expect(cache["User", "1"] == nil)
        #expect(cache.table("User")["1"] == nil)
        #expect(cache.record(type: "User", id: "1", includingTombstones: false) == nil)
        #expect(cache.record(type: "User", id: "1", includingTombstones: true)?.floor?.stamp == 2)
        #expect(cache.count(of: "User") == 0)
        #expect(cache.digest(of: "User") == 0)
        #expect(cache.types == ["User"])
        #expect(cache.commit("User", "1", ["age": 9], at: 1).visible == 0)
        #expect(cache["User", "1"] == nil)
    }

    @Test func `duplicates and older updates change nothing and are counted`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["age": 2], at: 2)
        let before = cache["User", "1"]
        let again = cache.commit("User", "1", ["age": 2], at: 2)
        #expect(again == CommitSummary(changed: 0, visible: 0, unchanged: 1, conflictingCells: 0, commitNumber: 1))
        let older = cache.commit("User", "1", ["age": 1], at: 1)
        #expect(older.unchanged == 1)
        #expect(cache["User", "1"] == before)
    }

    @Test func `an equal value with a later version is a new record that nobody can tell apart`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["age": 2], at: 2)
        let summary = cache.commit("User", "1", ["age": 2], at: 3)
        #expect(summary.changed == 1)
        #expect(summary.visible == 0)
        #expect(cache["User", "1"]?.version(of: "age")?.stamp == 3)
    }

    @Test func `one version with two values is counted as a conflict`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["age": 2], at: 2)
        #expect(cache.commit("User", "1", ["age": 3], at: 2).conflictingCells == 1)
        #expect(cache["User", "1"]?["age"] == 3)
    }

    @Test func `updates of one batch to one model merge onto each other`() {
        let cache = ModelCache()
        var batch = TestBatch()
        batch.add(.merge, "1", ["a": 1], at: 1)
        batch.add(.merge, "2", ["a": 1], at: 2)
        batch.add(.merge, "1", ["b": 2], at: 3)
        batch.add(.merge, "1", ["a": 3], at: 4)
        let summary = cache.commit(batch, "User")
        #expect(summary.changed == 2)
        #expect(cache["User", "1"]?.values == ["a": 3, "b": 2])
        #expect(cache.count(of: "User") == 2)
    }

    @Test func `several types and whole records are one commit`() {
        let cache = ModelCache()
        let other = ModelCache()
        other.commit("Team", "t", ["name": "red"], at: 5)
        var users = TestBatch()
        users.add(.merge, "1", ["a": 1], at: 1)
        let (seen, summary) = cache.commit { commit -> Int? in
            commit.apply(users, "User")
            if let record = other["Team", "t"] { commit.join(record, type: "Team") }
            let id = Array("1".utf8)
            let hash = Fingerprint.fnv("1")
            #expect(cache["User", "1"] == nil)
            #expect(commit.current(type: "User", id: "2".utf8.span, idHash: Fingerprint.fnv("2")) == nil)
            #expect(commit.current(type: "Nobody", id: id.span, idHash: hash) == nil)
            return commit.current(type: "User", id: id.span, idHash: hash)?["a"]?.intValue.map(Int.init)
        }
        #expect(seen == 1)
        #expect(summary.changed == 2)
        #expect(summary.commitNumber == 1)
        #expect(cache["Team", "t"]?["name"] == "red")
        #expect(Set(cache.types) == ["User", "Team"])
    }

    @Test func `a joined record that holds nothing new is unchanged`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1], at: 1)
        let record = cache["User", "1"]
        let summary = cache.commit { commit in
            if let record { commit.join(record, type: "User") }
        }.1
        #expect(summary.unchanged == 1)
        #expect(summary.changed == 0)
    }

    @Test func `changes of one commit that cancel out are not visible`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1], at: 1)
        var batch = TestBatch()
        batch.add(.merge, "1", ["a": 2], at: 2)
        batch.add(.merge, "1", ["a": 1], at: 3)
        batch.add(.merge, "2", ["a": 2], at: 4)
        batch.add(.delete, "2", at: 5)
        let summary = cache.commit(batch, "User")
        #expect(summary.changed == 2)
        #expect(summary.visible == 0)
        #expect(cache.count(of: "User") == 1)
    }

    @Test func `ids with one hash are different models`() {
        let cache = ModelCache()
        let table = cache.table("User")
        for round in 1...2 {
            var batch = TestBatch()
            for number in 0..<20 {
                let fields: Fields = ["n": .int(Int64(number * round))]
                batch.add(.merge, "id\(number)", fields, at: Stamp(round * 100 + number), idHash: 77)
            }
            #expect(cache.commit(batch, "User").changed == 20)
            for number in 0..<20 {
                let id = Array("id\(number)".utf8)
                #expect(table.record(id.span, idHash: 77)?["n"] == .int(Int64(number * round)))
            }
        }
        #expect(table.record("id20".utf8.span, idHash: 77) == nil)
    }

    @Test func `an id whose mixed hash is zero is kept`() {
        let cache = ModelCache()
        var batch = TestBatch()
        batch.add(.merge, "zero", ["n": 1], at: 1, idHash: 0)
        cache.commit(batch, "User")
        #expect(cache.table("User").record("zero".utf8.span, idHash: 0)?["n"] == 1)
        #expect(cache.bucketDigests(of: "User")[0] == cache.digest(of: "User"))
    }

    @Test func `a type grows from one model to many without losing any`() {
        let cache = ModelCache()
        var stamp: Stamp = 0
        for start in stride(from: 0, to: 20_000, by: 700) {
            var batch = TestBatch()
            for number in start..<min(start + 700, 20_000) {
                stamp += 1
                batch.add(.merge, "id\(number)", ["n": .int(Int64(number))], at: stamp)
            }
            cache.commit(batch, "User")
        }
        #expect(cache.count(of: "User") == 20_000)
        let table = cache.table("User")
        #expect((0..<20_000).allSatisfy { table["id\($0)"]?["n"] == .int(Int64($0)) })
        #expect(Array(cache.snapshot().records(of: "User")).count == 20_000)
    }

    @Test func `a batch of any size gives what its updates give one by one`() {
        let cache = ModelCache()
        var expected: [String: CellRecord] = [:]
        var random = SeededGenerator(seed: 12)
        var stamp: Stamp = 0
        // Models of some bytes and of some thousand, known and new, several times within one batch.
        for size in (0...70).shuffled(using: &random) + [500] {
            var batch = TestBatch()
            for _ in 0..<size {
                stamp += 1
                let id = "id\(Int.random(in: 0..<120, using: &random))"
                let isLong = Int.random(in: 0..<8, using: &random) == 0
                let text = String(repeating: "x", count: isLong ? 3_000 : Int.random(in: 0..<40, using: &random))
                batch.add(.merge, id, ["f\(Int.random(in: 0..<6, using: &random))": .text(text)], at: stamp)
            }
            cache.commit(batch, "User")
            batch.merge(into: &expected)
            #expect(Set(cache.snapshot().records(of: "User")) == Set(expected.values), "a batch of \(size)")
        }
    }

    @Test func `digests are those of a full scan, whatever was committed`() {
        let cache = ModelCache()
        var random = SeededGenerator(seed: 11)
        for stamp in 1...3_000 as ClosedRange<Stamp> {
            let operation: UpdateOperation =
                [.merge, .merge, .merge, .replace, .delete][Int.random(in: 0..<5, using: &random)]
            let field = "f\(Int.random(in: 0..<4, using: &random))"
            let fields: Fields = operation == .delete ? [:] : [field: .int(Int64(stamp))]
            let at = stamp &+ UInt64.random(in: 0..<40, using: &random)
            let id = "id\(Int.random(in: 0..<60, using: &random))"
            cache.commit("User", id, fields, as: operation, at: at)
        }
        var expected = [UInt64](repeating: 0, count: 256)
        var count = 0
        for record in cache.snapshot().records(of: "User") {
            expected[Fingerprint.bucket(idHash: record.idHash)] &+= record.digest
            count += 1
        }
        #expect(cache.bucketDigests(of: "User") == expected)
        #expect(cache.digest(of: "User") == expected.reduce(0, &+))
        #expect(cache.digest(of: "User", buckets: 16..<32) == expected[16..<32].reduce(0, &+))
        #expect(cache.count(of: "User") == count)
        #expect(cache.digest(of: "Nobody") == 0)
    }
}
