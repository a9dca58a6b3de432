@_spi(CacheWriting) import ModelCache
@_spi(RecordWriting) import ModelRecord
import TestSupport
import Testing

/// A lazy copy that knows the ids of all models.
struct KnownIDTests {
    private static let limits: CacheLimits = {
        var limits = CacheLimits()
        limits.prefetch = .ids
        return limits
    }()

    /// Updates, records, fetches, evictions and deletes at random, in any order and now and then twice; the model is a
    /// dictionary of the last write and the last delete.
    @Test func `whatever comes in whatever order, the ids that are known are those that exist`() {
        forEachSeed(300) { _, generator in
            let cache = ModelCache(limits: KnownIDTests.limits)
            var last: [String: (write: Stamp, delete: Stamp)] = [:]
            var stamps = Array(1...Stamp(80)).shuffled(using: &generator)
            let ids = (0..<8).map { $0 % 2 == 0 ? "\($0)" : "an id of more than fifteen bytes, \($0)" }
            while let stamp = stamps.popLast() {
                let id = ids.randomElement(using: &generator) ?? ""
                let isDelete = Int.random(in: 0..<3, using: &generator) == 0
                for _ in 0..<Int.random(in: 1...2, using: &generator) {
                    let (fields, operation): (Fields, UpdateOperation) = isDelete ? ([:], .delete) : (["a": 1], .merge)
                    if Bool.random(using: &generator) {
                        cache.commit("User", id, fields, as: operation, at: stamp)
                    } else {
                        let other = ModelCache()
                        other.commit("User", id, fields, as: operation, at: stamp)
                        let record = other.record(type: "User", id: id, includingTombstones: true)
                        cache.commit { commit in
                            commit.noteIDs([record].compactMap { $0?.withoutCells }, type: "User")
                        }
                    }
                }
                let before = last[id] ?? (0, 0)
                last[id] =
                    isDelete ? (before.write, max(before.delete, stamp)) : (max(before.write, stamp), before.delete)
                let known = cache.ids(of: "User")
                let existing = last.filter { $0.value.write > $0.value.delete }.keys
                #expect(known.sorted() == existing.sorted())
                #expect(cache.evictedCount(of: "User") + cache.count(of: "User") == existing.count)
            }
        }
    }

    @Test func `a model that is fetched is listed once, and again when it has left`() {
        let cache = ModelCache(limits: KnownIDTests.limits)
        #expect(cache.presence(of: "User", "4") == .evicted)
        cache.noteIDsKnown()
        #expect(cache.presence(of: "User", "4") == .absent)
        for number in 0..<20 { cache.commit("User", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        #expect(cache.count(of: "User") == 0 && cache.ids(of: "User").count == 20)
        cache.beginArrivals(["3"], type: "User")
        cache.commit("User", "3", ["b": 1], at: 50)
        cache.commit { commit in commit.endArrivals(["3"], type: "User") }
        #expect(cache["User", "3"]?.values == ["b": 1])
        #expect(cache.ids(of: "User").count == 20 && cache.evictedCount(of: "User") == 19)
        _ = cache.evictAll(of: "User")
        #expect(cache.ids(of: "User").count == 20 && cache.evictedCount(of: "User") == 20)
        // Nobody has it.
        cache.beginArrivals(["4"], type: "User")
        cache.commit { commit in commit.endArrivals(["4"], type: "User") }
        #expect(cache.ids(of: "User").count == 19 && cache.presence(of: "User", "4") == .absent)
    }

    /// A copy of the ids that has fetched these models, which were written at 10.
    private static func holding(_ numbers: ClosedRange<Int>) -> ModelCache {
        let cache = ModelCache(limits: limits)
        cache.noteIDsKnown()
        for number in numbers {
            cache.commit("User", "\(number)", ["a": 1], at: 10)
            cache.beginArrivals(["\(number)"], type: "User")
            cache.commit("User", "\(number)", ["a": 1], at: 10)
            cache.commit { commit in commit.endArrivals(["\(number)"], type: "User") }
        }
        return cache
    }

    @Test func `a held model of which a copy of the ids tells that it is deleted does not exist once it has left`() {
        let cache = KnownIDTests.holding(0...2)
        let other = ModelCache()
        for (id, stamp) in [("0", Stamp(20)), ("1", 20), ("2", 5)] {
            other.commit("User", id, [:], as: .delete, at: stamp)
        }
        let deletes = (0..<3).compactMap { other.record(type: "User", id: "\($0)", includingTombstones: true) }
        cache.commit { commit in commit.noteIDs(deletes, type: "User") }
        #expect(cache.count(of: "User") == 3 && cache.ids(of: "User").count == 3)
        // Written again meanwhile.
        cache.commit("User", "1", ["b": 1], at: 30)
        _ = cache.evictAll(of: "User")
        #expect(cache.ids(of: "User").sorted() == ["1", "2"])
        #expect(cache.presence(of: "User", "0") == .absent && cache.evictedCount(of: "User") == 2)
    }

    @Test(arguments: [false, true])
    func `of a model that is held a delete and a later write are told, and it exists once it has left`(isLast: Bool) {
        let cache = KnownIDTests.holding(1...2)
        let other = ModelCache()
        var told: [[CellRecord]] = []
        for (fields, operation, stamp) in [(Fields(), UpdateOperation.delete, Stamp(20)), (["b": 1], .merge, 30)] {
            for id in ["1", "2"] { other.commit("User", id, fields, as: operation, at: stamp) }
            told.append(
                ["1", "2"].compactMap { other.record(type: "User", id: $0, includingTombstones: true)?.withoutCells })
        }
        // A sender that lags may tell the delete last.
        for records in isLast ? told.reversed() : told { cache.commit { $0.noteIDs(records, type: "User") } }
        #expect(cache.ids(of: "User").count == 2)
        // A batch brings a later delete of one of them.
        cache.commit("User", "2", [:], as: .delete, at: 40)
        _ = cache.evictAll(of: "User")
        #expect(cache.ids(of: "User") == ["1"] && cache.presence(of: "User", "1") == .evicted)
        #expect(cache.presence(of: "User", "2") == .absent && cache.evictedCount(of: "User") == 1)
    }

    @Test func `of a delete that is held a later one is told, and a write between the two makes no model`() {
        let cache = KnownIDTests.holding(1...1)
        cache.commit("User", "1", [:], as: .delete, at: 20)
        let other = ModelCache()
        other.commit("User", "1", [:], as: .delete, at: 50)
        let deletes = [other.record(type: "User", id: "1", includingTombstones: true)].compactMap(\.self)
        cache.commit { commit in commit.noteIDs(deletes, type: "User") }
        _ = cache.evictDeletes(of: "User")
        cache.commit("User", "1", ["b": 1], at: 40)
        #expect(cache.ids(of: "User").isEmpty && cache.presence(of: "User", "1") == .absent)
        cache.commit("User", "1", ["b": 1], at: 60)
        #expect(cache.ids(of: "User") == ["1"])
    }

    @Test func `a model that one deleted and another wrote at one stamp counts as one that exists`() {
        let cache = KnownIDTests.holding(1...1)
        cache.commit("User", "1", [:], as: .delete, at: 20)
        let other = ModelCache()
        other.commit("User", "1", ["b": 1], at: 20)
        let record = other.record(type: "User", id: "1", includingTombstones: true)
        cache.commit { commit in commit.noteIDs([record].compactMap { $0?.withoutCells }, type: "User") }
        #expect(cache.ids(of: "User") == ["1"])
        _ = cache.evictAll(of: "User")
        #expect(cache.presence(of: "User", "1") == .evicted)
    }

    @Test func `without ids that are kept the list is of what is here`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 5)]))
        for number in 0..<20 { cache.commit("User", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        cache.enforceLimits(now: 1)
        #expect(cache.ids(of: "User").count == 5)
        #expect(Set(cache.ids(of: "User")).allSatisfy { cache["User", $0] != nil })
    }
}
