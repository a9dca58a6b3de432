import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

/// What an observer is told that is slower than the changes come.
struct ConflationTests {
    /// Commits `count` single changes to a few models while the observer's queue stands still.
    private func slowSets(_ count: Int, models: Int, _ interest: Interest) -> [ChangeSet] {
        let cache = ModelCache()
        cache.commit("User", "id0", ["base": 7], at: 1)
        let told = Told()
        let observation = cache.observe(interest, told)
        _ = told.take()
        told.queue.suspend()
        for number in 0..<count {
            let fields: Fields = ["f\(number % 3)": .int(Int64(number))]
            cache.commit("User", "id\(number % models)", fields, at: Stamp(number + 10))
        }
        told.queue.resume()
        var sets: [ChangeSet] = []
        let deadline = ContinuousClock.now + .seconds(30)
        while sets.last?.last?.new?["f\((count - 1) % 3)"]?.intValue != Int64(count - 1) {
            guard ContinuousClock.now < deadline else { break }
            sets += told.take()
        }
        withExtendedLifetime(observation) {}
        return sets
    }

    @Test func `up to the limit nothing is folded`() {
        let sets = slowSets(4_096, models: 10, .type("User"))
        #expect(sets.count == 4_096)
        #expect(sets.allSatisfy { set in !set.contains(where: \.isFolded) })
    }

    @Test(arguments: [Interest.type("User"), .everything])
    func `past the limit each model is told once, from what was told last to the newest`(_ interest: Interest) throws {
        let sets = slowSets(4_097, models: 10, interest)
        try #require(sets.count == 1)
        let changes = Array(sets[0])
        #expect(changes.count == 10)
        #expect(changes.allSatisfy { $0.isFolded && !$0.isInitial })
        // In the order of the last change: 4096 went to id6.
        #expect(changes.map(\.id) == [7, 8, 9, 0, 1, 2, 3, 4, 5, 6].map { "id\($0)" })
        #expect(changes.allSatisfy { $0.changedFields == ["f0", "f1", "f2"] })
        #expect(changes[3].old?.values == ["base": 7])
        #expect(changes[0].old == nil)
        #expect(changes[9].new?["f1"] == 4_096)
    }

    @Test func `changes after a fold come after it, and start from where it ended`() {
        let sets = slowSets(6_000, models: 7, .type("User"))
        var told: [String: CellRecord] = [:]
        for change in sets.flatMap({ Array($0) }) {
            if let before = told[change.id] { #expect(change.old == before) }
            told[change.id] = change.new
        }
        #expect(sets.count < 6_000)
        #expect(told.count == 7)
    }

    @Test func `a model observer that is slow is told one change`() throws {
        let sets = slowSets(5_000, models: 1, .model(type: "User", id: "id0"))
        let first = try #require(sets.first?.first)
        #expect(first.isFolded)
        #expect(first.old?.values == ["base": 7])
        #expect(sets.last?.last?.new?.values.count == 4)
    }

    @Test func `a field that is back at its old value is still among the changed fields of a fold`() throws {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 0, "b": 0], at: 1)
        let told = Told()
        let observation = cache.observe(.type("User"), told)
        _ = told.take()
        told.queue.suspend()
        for number in 1...4_098 {
            cache.commit("User", "1", ["a": .int(Int64(number % 2))], at: Stamp(number + 1))
        }
        cache.commit("User", "new", ["x": 1], at: 9_000)
        cache.commit("User", "new", as: .delete, at: 9_001)
        told.queue.resume()
        let changes = told.sets.flatMap { Array($0) }
        let folded = try #require(changes.first)
        #expect(folded.isFolded)
        #expect(folded.changedFields == ["a"])
        #expect(changes.last?.id == "new")
        #expect(changes.last?.new == nil)
        withExtendedLifetime(observation) {}
    }

    @Test func `the bound grows with the number of models, so that a large batch is not folded over and over`() {
        let cache = ModelCache()
        let told = Told()
        let observation = cache.observe(.type("User"), told)
        told.queue.suspend()
        for round in 0..<6 {
            var batch = TestBatch()
            for number in 0..<5_000 {
                batch.add(.merge, "id\(number)", ["n": .int(Int64(round))], at: Stamp(round * 5_000 + number + 1))
            }
            cache.commit(batch, "User")
        }
        told.queue.resume()
        let sets = told.sets
        let total = sets.reduce(0) { $0 + $1.count }
        #expect(total >= 5_000 && total <= 15_000)
        #expect(sets.last?.allSatisfy { $0.new?["n"] == 5 } ?? false)
        withExtendedLifetime(observation) {}
    }
}
