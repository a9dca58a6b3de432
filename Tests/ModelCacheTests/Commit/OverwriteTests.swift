import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

struct OverwriteTests {
    @Test func `a model that is taken out is gone with its tombstone and its digest`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1], at: 1)
        cache.commit("User", "2", ["a": 1], at: 2)
        cache.commit("User", "2", as: .delete, at: 3)
        #expect(cache.tombstoneCount(of: "User") == 1)
        let (_, summary) = cache.commit { commit in
            commit.overwrite(type: "User", id: "1", with: nil)
            commit.overwrite(type: "User", id: "2", with: nil)
            commit.overwrite(type: "User", id: "3", with: nil)
        }
        #expect(summary.changed == 2)
        #expect(summary.visible == 1)
        #expect(cache.record(type: "User", id: "1", includingTombstones: true) == nil)
        #expect(cache.record(type: "User", id: "2", includingTombstones: true) == nil)
        #expect(cache.digest(of: "User") == 0)
        #expect(cache.count(of: "User") == 0)
        #expect(cache.tombstoneCount(of: "User") == 0)
    }

    @Test func `a record is overwritten although its versions are older`() throws {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1, "b": 1], at: 1)
        let older = try #require(cache["User", "1"])
        let digest = cache.digest(of: "User")
        cache.commit("User", "1", ["a": 2], at: 9)
        cache.commit { $0.overwrite(type: "User", id: "1", with: older) }
        #expect(cache["User", "1"] == older)
        #expect(cache.digest(of: "User") == digest)
    }

    @Test func `tombstones are let go by age, a limited number at a time`() {
        let cache = ModelCache()
        for id in 0..<10 { cache.commit("User", "\(id)", as: .delete, at: Stamp(id + 1)) }
        #expect(cache.dropTombstones(of: "User", olderThan: 6, limit: 3) == 3)
        #expect(cache.dropTombstones(of: "User", olderThan: 6) == 2)
        #expect(cache.dropTombstones(of: "User", olderThan: 6) == 0)
        #expect(cache.tombstoneCount(of: "User") == 5)
    }

    @Test func `whatever is merged, overwritten and taken out, reads, digests, snapshots and observers agree`() {
        forEachSeed(100) { _, generator in
            let cache = ModelCache()
            let auditor = Auditor()
            let queue = DispatchQueue(label: "audit")
            let observation = cache.observe(.everything, on: queue) { auditor.hear($0) }
            var expected: [String: CellRecord] = [:]
            var snapshots: [(Snapshot, [String: CellRecord])] = []
            // All in one shard, so that what is taken out leaves gaps between others.
            let ids =
                (0..<Int.random(in: 100...3_000, using: &generator)).map { "id-\($0)" }
                .filter { Fingerprint.bucket(idHash: Fingerprint.fnv($0)) < 4 } + ["1"]
            for step in 1...100 {
                let id = ids.randomElement(using: &generator) ?? ""
                switch Int.random(in: 0..<10, using: &generator) {
                case 0...4:
                    cache.commit("User", id, ["n": .int(Int64(step % 7))], at: Stamp(step))
                    expected[id] = cache.record(type: "User", id: id, includingTombstones: true)
                case 5:
                    cache.commit("User", id, as: .delete, at: Stamp(step))
                    expected[id] = cache.record(type: "User", id: id, includingTombstones: true)
                case 6, 7:
                    cache.commit { $0.overwrite(type: "User", id: id, with: nil) }
                    expected[id] = nil
                case 8:
                    let record = snapshots.randomElement(using: &generator)?.1[id]
                    cache.commit { $0.overwrite(type: "User", id: id, with: record) }
                    expected[id] = record
                default:
                    if snapshots.count > 3 {
                        snapshots.remove(at: Int.random(in: snapshots.indices, using: &generator))
                    }
                    snapshots.append((cache.snapshot(), expected))
                }
                try Self.check(cache, cache.snapshot(), expected, ids)
                for (snapshot, then) in snapshots { try Self.check(nil, snapshot, then, ids) }
            }
            queue.sync {}
            observation.cancel()
            try #require(auditor.faults == [])
        }
    }

    private static func check(
        _ cache: ModelCache?, _ snapshot: Snapshot, _ expected: [String: CellRecord], _ ids: [String]
    ) throws {
        var found: [String: CellRecord] = [:]
        var count = 0
        snapshot.forEach(type: "User", includingTombstones: true) { record in
            found[record.id] = record
            count += 1
            return true
        }
        try #require(found == expected)
        try #require(count == expected.count)
        for id in ids {
            try #require(snapshot.record(type: "User", id: id, includingTombstones: true) == expected[id])
        }
        try #require(snapshot.count(of: "User") == expected.values.count(where: \.exists))
        guard let cache else { return }
        try #require(cache.digest(of: "User") == expected.values.reduce(0) { $0 &+ $1.digest })
        for id in ids {
            try #require(cache.record(type: "User", id: id, includingTombstones: true) == expected[id])
        }
    }
}
