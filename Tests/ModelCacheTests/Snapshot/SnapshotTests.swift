@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

struct SnapshotTests {
    @Test func `a snapshot shows the models as they were`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1], at: 1)
        cache.commit("User", "2", ["a": 1], at: 2)
        let snapshot = cache.snapshot()
        cache.commit("User", "1", ["a": 2], at: 3)
        cache.commit("User", "1", ["a": 3], at: 4)
        cache.commit("User", "2", as: .delete, at: 5)
        cache.commit("User", "3", ["a": 1], at: 6)
        cache.commit("Team", "1", ["a": 1], at: 7)
        #expect(snapshot["User", "1"]?["a"] == 1)
        #expect(snapshot["User", "2"]?["a"] == 1)
        #expect(snapshot["User", "3"] == nil)
        #expect(snapshot["Team", "1"] == nil)
        #expect(snapshot.types == ["User"])
        #expect(snapshot.count(of: "User") == 2)
        #expect(snapshot.count(of: "Team") == 0)
        #expect(snapshot.commitNumber == 2)
        #expect(Set(snapshot.records(of: "User").map(\.id)) == ["1", "2"])
        #expect(Array(snapshot.records(of: "Team")).isEmpty)
        #expect(cache["User", "1"]?["a"] == 3)
    }

    @Test func `models that come in the order of their hashes, as a snapshot brings them, are all found`() {
        let source = ModelCache()
        var batch = TestBatch()
        for id in 0..<40_000 { batch.add(.merge, "\(id)", ["a": .int(Int64(id))], at: Stamp(id + 1)) }
        source.commit(batch, "User")
        let copy = ModelCache()
        var chunk: [CellRecord] = []
        source.snapshot().forEach(type: "User", includingTombstones: true) { record in
            chunk.append(record)
            if chunk.count == 250 {
                copy.commit { $0.join(chunk, type: "User") }
                chunk = []
            }
            return true
        }
        copy.commit { $0.join(chunk, type: "User") }
        #expect(copy.count(of: "User") == 40_000)
        #expect(copy.bucketDigests(of: "User") == source.bucketDigests(of: "User"))
        #expect((0..<40_000).allSatisfy { copy["User", "\($0)"]?["a"] == .int(Int64($0)) })
        #expect(Array(copy.snapshot().records(of: "User")).count == 40_000)
    }

    @Test func `ids that were chosen to collide are told apart`() {
        let cache = ModelCache()
        for start in stride(from: 0, to: 2_000, by: 100) {
            var batch = TestBatch()
            for id in start..<start + 100 {
                batch.add(.merge, "\(id)", ["a": .int(Int64(id))], at: Stamp(id + 1), idHash: 7)
            }
            cache.commit(batch, "User")
        }
        let values = cache.snapshot().records(of: "User").compactMap { $0["a"]?.intValue }
        #expect(Set(values) == Set(0..<2_000))
        #expect(cache.count(of: "User") == 2_000)
    }

    @Test func `each of several snapshots keeps its own past, in whatever order they are released`() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0], [0, 2, 1], [2, 0, 1]] {
            let cache = ModelCache()
            var snapshots: [Int: Snapshot] = [:]
            for number in 0..<3 {
                cache.commit("User", "always", ["n": .int(Int64(number))], at: Stamp(10 + number))
                cache.commit("User", "only\(number)", ["n": 1], at: Stamp(20 + number))
                snapshots[number] = cache.snapshot()
            }
            cache.commit("User", "always", ["n": 99], at: 50)
            for released in order {
                snapshots[released] = nil
                cache.commit("User", "always", ["n": .int(Int64(100 + released))], at: Stamp(60 + released))
                for (number, snapshot) in snapshots {
                    #expect(snapshot["User", "always"]?["n"] == .int(Int64(number)), "\(order)")
                    let present = (0..<3).map { snapshot["User", "only\($0)"] != nil }
                    #expect(present == (0..<3).map { $0 <= number }, "\(order)")
                    #expect(Array(snapshot.records(of: "User")).count == number + 2)
                }
            }
        }
    }

    @Test func `a snapshot of an empty cache stays empty`() {
        let cache = ModelCache()
        let table = cache.table("User")
        let snapshot = cache.snapshot()
        cache.commit("User", "1", ["a": 1], at: 1)
        #expect(table["1"] != nil)
        #expect(snapshot["User", "1"] == nil)
        #expect(snapshot.types.isEmpty)
        #expect(snapshot.commitNumber == 0)
    }

    @Test func `iteration takes the buckets that are asked for, tombstones on request, and stops when told`() {
        let cache = ModelCache()
        var batch = TestBatch()
        for number in 0..<2_000 { batch.add(.merge, "id\(number)", ["n": 1], at: Stamp(number + 1)) }
        batch.add(.delete, "id7", at: 5_000)
        cache.commit(batch, "User")
        let snapshot = cache.snapshot()
        var inBuckets = 0
        snapshot.forEach(type: "User", buckets: 10..<50) { record in
            #expect((10..<50).contains(Fingerprint.bucket(idHash: record.idHash)))
            inBuckets += 1
            return true
        }
        let expected = (0..<2_000).filter {
            $0 != 7 && (10..<50).contains(Fingerprint.bucket(idHash: Fingerprint.fnv("id\($0)")))
        }
        #expect(inBuckets == expected.count)
        var all = 0
        snapshot.forEach(type: "User", includingTombstones: true) { _ in
            all += 1
            return true
        }
        #expect(all == 2_000)
        var seen = 0
        snapshot.forEach(type: "User") { _ in
            seen += 1
            return seen < 5
        }
        #expect(seen == 5)
        #expect(snapshot.record(type: "User", id: "id7", includingTombstones: true)?.exists == false)
        #expect(snapshot.record(type: "User", id: "id7", includingTombstones: false) == nil)
    }

    @Test func `iteration of a snapshot is undisturbed by a type that grows under it`() {
        let cache = ModelCache()
        for number in 0..<300 { cache.commit("User", "id\(number)", ["n": 1], at: Stamp(number + 1)) }
        let snapshot = cache.snapshot()
        var ids: Set<String> = []
        var visits = 0
        var next = 300
        snapshot.forEach(type: "User") { record in
            ids.insert(record.id)
            visits += 1
            for _ in 0..<20 {
                cache.commit("User", "id\(next)", ["n": 1], at: Stamp(next + 1))
                next += 1
            }
            return true
        }
        #expect(visits == 300)
        #expect(ids == Set((0..<300).map { "id\($0)" }))
    }

    @Test func `models whose ids have one hash keep their own pasts`() {
        let cache = ModelCache()
        func commit(_ value: Int64, at stamp: Stamp) {
            var batch = TestBatch()
            for number in 0..<5 {
                batch.add(.merge, "id\(number)", ["n": .int(value)], at: stamp + Stamp(number), idHash: 9)
            }
            cache.commit(batch, "User")
        }
        commit(1, at: 10)
        let first = cache.snapshot()
        commit(2, at: 20)
        let second = cache.snapshot()
        commit(3, at: 30)
        #expect(first.records(of: "User").map { $0["n"] } == Array(repeating: 1, count: 5))
        #expect(second.records(of: "User").map { $0["n"] } == Array(repeating: 2, count: 5))
    }

    @Test func `a long chain of snapshots is released without deep recursion`() {
        let cache = ModelCache()
        var snapshots: [Snapshot] = []
        for number in 0..<20_000 {
            cache.commit("User", "1", ["n": .int(Int64(number))], at: Stamp(number + 1))
            snapshots.append(cache.snapshot())
        }
        #expect(snapshots[777]["User", "1"]?["n"] == 777)
        snapshots.removeFirst(10_000)
        #expect(snapshots[5]["User", "1"]?["n"] == 10_005)
        snapshots = []
        #expect(cache["User", "1"]?["n"] == 19_999)
    }
}
