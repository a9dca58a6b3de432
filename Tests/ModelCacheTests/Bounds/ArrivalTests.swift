@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

/// Models that have left, and what comes of them.
struct ArrivalTests {
    /// A copy of which the model "1" has left, whose fields are `a` and `b`.
    private static func copy() -> ModelCache {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 1)]))
        cache.setPinned(true, type: "User", id: "2")
        cache.commit("User", "1", ["a": 1, "b": 1], at: 1)
        cache.commit("User", "2", ["a": 1], at: 2)
        for round in 1...3 { cache.enforceLimits(now: UInt64(round)) }
        return cache
    }

    @Test func `an update of a model that has left makes no half of it, whichever way it comes`() {
        let cache = ArrivalTests.copy()
        #expect(cache.presence(of: "User", "1") == .evicted)
        let digest = cache.digest(of: "User")
        // In a commit of its own, in its place, in two phases with a snapshot open, twice in one batch, as a record.
        var batch = TestBatch()
        batch.add(.merge, "1", ["a": 2], at: 10)
        _ = batch.commit(to: cache, in: cache.table("User"))
        _ = batch.withView { cache.commit($0.update(at: 0), in: cache.table("User")) }
        let snapshot = cache.snapshot()
        cache.commit(batch, "User")
        batch.add(.merge, "1", ["a": 3], at: 11)
        _ = batch.commit(to: cache, in: cache.table("User"))
        cache.commit { $0.join(CellRecord.of("1", ["b": 9], at: 12), type: "User") }
        #expect(cache.record(type: "User", id: "1", includingTombstones: true) == nil)
        #expect(cache.presence(of: "User", "1") == .evicted)
        #expect(cache.digest(of: "User") == digest)
        #expect(snapshot["User", "1"] == nil)
        #expect(cache.evictionCounts.keptBack == 6)
    }

    @Test func `a model comes back with what its senders hold and with what came while it was on its way`() {
        let cache = ArrivalTests.copy()
        cache.beginArrivals(["1"], type: "User")
        cache.commit("User", "1", ["a": 5], at: 5)
        cache.keepArriving([CellRecord.of("1", ["a": 1, "b": 3], at: 3)], type: "User")
        cache.commit("User", "1", ["c": 6], at: 6)
        #expect(cache["User", "1"] == nil)
        cache.commit { $0.endArrivals(["1"], type: "User") }
        #expect(cache["User", "1"]?.values == ["a": 5, "b": 3, "c": 6])
        #expect(!cache.hasEvicted("User"))
        cache.commit("User", "1", ["a": 7], at: 7)
        #expect(cache["User", "1"]?["a"] == 7)
    }

    @Test func `a model of which nobody has anything does not exist any more`() {
        let cache = ArrivalTests.copy()
        cache.beginArrivals(["1"], type: "User")
        cache.commit { $0.endArrivals(["1"], type: "User") }
        #expect(cache.presence(of: "User", "1") == .absent)
        cache.commit("User", "1", ["a": 7], at: 7)
        #expect(cache["User", "1"]?.values == ["a": 7])
    }

    @Test func `a fetch that is given up leaves the model evicted, and keeps nothing`() {
        let cache = ArrivalTests.copy()
        cache.beginArrivals(["1"], type: "User")
        cache.commit("User", "1", ["a": 5], at: 5)
        cache.cancelArrivals(["1"], type: "User")
        #expect(cache.presence(of: "User", "1") == .evicted)
        cache.beginArrivals(["1"], type: "User")
        cache.commit { $0.endArrivals(["1"], type: "User") }
        #expect(cache.presence(of: "User", "1") == .absent)
    }

    @Test func `a copy that takes the place of another passes over what has left that one`() {
        let cache = ArrivalTests.copy()
        let other = ModelCache(passingOver: cache)
        other.commit("User", "1", ["a": 1], at: 1)
        other.commit("User", "2", ["a": 1], at: 2)
        other.commit("Order", "1", ["a": 1], at: 3)
        #expect(other.presence(of: "User", "1") == .evicted)
        #expect(other["User", "2"] != nil)
        #expect(other["Order", "1"] != nil)
    }

    @Test func `a store is told nothing of types that have limits`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 1)]))
        cache.startJournal()
        cache.commit("User", "1", ["a": 1], at: 1)
        cache.commit("User", "2", ["a": 1], at: 2)
        cache.commit("Order", "1", ["a": 1], at: 3)
        var batch = TestBatch()
        batch.add(.merge, "3", ["a": 2], at: 10)
        _ = batch.withView { cache.commit($0.update(at: 0), in: cache.table("User")) }
        cache.enforceLimits(now: 1)
        #expect(cache.takeJournal().map(\.type) == ["Order"])
    }
}
