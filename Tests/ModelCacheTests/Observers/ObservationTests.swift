import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

/// The contract of observation, sentence by sentence.
struct ObservationTests {
    @Test func `a type observer is told the current state first, then changes`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1], at: 1)
        cache.commit("User", "2", ["a": 2], at: 2)
        cache.commit("Team", "1", ["a": 3], at: 3)
        let told = Told()
        let observation = cache.observe(.type("User"), told)
        cache.commit("User", "1", ["a": 5], at: 4)
        let sets = told.sets
        #expect(sets.map(\.isInitial) == [true, false])
        #expect(Set(sets[0].map(\.summary)) == ["1: - > a=1 [a]", "2: - > a=2 [a]"])
        #expect(sets[0].allSatisfy { $0.isInitial && $0.old == nil && $0.type == "User" })
        #expect(sets[1].map(\.summary) == ["1: a=1 > a=5 [a]"])
        #expect(sets[1].commitNumber == 4)
        withExtendedLifetime(observation) {}
    }

    @Test func `a large initial state comes in several sets that together are the state`() {
        let cache = ModelCache()
        var batch = TestBatch()
        for number in 0..<5_000 { batch.add(.merge, "id\(number)", ["n": 1], at: Stamp(number + 1)) }
        cache.commit(batch, "User")
        let told = Told()
        let observation = cache.observe(.everything, told)
        cache.commit("User", "id0", ["n": 2], at: 9_000)
        let sets = told.sets
        let initial = sets.filter(\.isInitial)
        #expect(initial.count > 1)
        #expect(initial.flatMap { $0.map(\.id) }.count == 5_000)
        #expect(Set(initial.flatMap { $0.map(\.id) }).count == 5_000)
        #expect(initial.allSatisfy { set in set.allSatisfy { $0.new?["n"] == 1 } })
        #expect(sets.last?.map(\.summary) == ["id0: n=1 > n=2 [n]"])
        withExtendedLifetime(observation) {}
    }

    @Test func `an observer of everything is told of all types, one set a commit`() {
        let cache = ModelCache()
        let told = Told()
        let observation = cache.observe(.everything, told)
        var users = TestBatch()
        users.add(.merge, "1", ["a": 1], at: 1)
        users.add(.merge, "2", ["a": 1], at: 2)
        var teams = TestBatch()
        teams.add(.merge, "t", ["a": 1], at: 3)
        cache.commit { commit in
            commit.apply(users, "User")
            commit.apply(teams, "Team")
        }
        let sets = told.sets
        #expect(sets.count == 1)
        #expect(sets.first?.map { "\($0.type)/\($0.id)" } == ["User/1", "User/2", "Team/t"])
        #expect(sets.first?.isInitial == false)
        withExtendedLifetime(observation) {}
    }

    @Test func `a model observer is told its state once, then its own changes only`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1], at: 1)
        let told = Told()
        let observation = cache.observe(.model(type: "User", id: "1"), told)
        cache.commit("User", "2", ["a": 1], at: 2)
        cache.commit("User", "1", ["b": 2], at: 3)
        cache.commit("Team", "1", ["b": 2], at: 4)
        let sets = told.sets
        #expect(sets.map { $0.map(\.summary) } == [["1: - > a=1 [a]"], ["1: a=1 > a=1,b=2 [b]"]])
        #expect(sets.map(\.isInitial) == [true, false])
        withExtendedLifetime(observation) {}
    }

    @Test func `an observer of a model that does not exist hears of it once it does, and of its end`() {
        let cache = ModelCache()
        let told = Told()
        let observation = cache.observe(.model(type: "User", id: "1"), told)
        #expect(told.sets.isEmpty)
        cache.commit("User", "1", ["a": 1], at: 1)
        cache.commit("User", "1", as: .delete, at: 2)
        cache.commit("User", "1", ["a": 3], at: 3)
        #expect(
            told.sets.map { $0.map(\.summary) } == [["1: - > a=1 [a]"], ["1: a=1 > - [a]"], ["1: - > a=3 [a]"]])
        #expect(told.sets.allSatisfy { !$0.isInitial })
        withExtendedLifetime(observation) {}
    }

    @Test func `an observer of a deleted model is told no initial state`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1], at: 1)
        cache.commit("User", "1", as: .delete, at: 2)
        let told = Told()
        let tokens = [cache.observe(.model(type: "User", id: "1"), told), cache.observe(.type("User"), told)]
        #expect(told.sets.isEmpty)
        withExtendedLifetime(tokens) {}
    }

    @Test func `a change tells origin, version and changed fields`() throws {
        let cache = ModelCache()
        let told = Told()
        let observation = cache.observe(.type("User"), told)
        var batch = TestBatch(origin: "east")
        batch.add(.merge, "1", ["name": "Ada", "age": 30], at: 7)
        cache.commit(batch, "User")
        var later = TestBatch(origin: "west")
        later.add(.merge, "1", ["age": 31, "name": "Ada"], at: 9)
        cache.commit(later, "User")
        let changes = told.sets.flatMap { Array($0) }
        try #require(changes.count == 2)
        #expect(changes[0].version == Version(stamp: 7, origin: "east"))
        #expect(changes[0].changedFields == ["age", "name"])
        #expect(changes[1].origin == "west")
        #expect(changes[1].changedFields == ["age"])
        #expect(changes[1].old?["age"] == 30)
        #expect(!changes[1].isFolded)
        withExtendedLifetime(observation) {}
    }

    @Test func `an update that changes nothing tells nobody`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1], at: 5)
        let told = Told()
        let interests: [Interest] = [.everything, .type("User"), .model(type: "User", id: "1")]
        let tokens = interests.map { cache.observe($0, told) }
        _ = told.take()
        cache.commit("User", "1", ["a": 1], at: 5)
        cache.commit("User", "1", ["a": 0], at: 4)
        cache.commit("User", "1", ["a": 1], at: 6)
        cache.commit("User", "2", as: .delete, at: 7)
        #expect(told.sets.isEmpty)
        withExtendedLifetime(tokens) {}
    }

    @Test func `changes of one batch arrive together and commits in their order`() {
        let cache = ModelCache()
        let told = Told()
        let observation = cache.observe(.type("User"), told)
        for commit in 0..<200 {
            var batch = TestBatch()
            for number in 0..<3 {
                batch.add(.merge, "id\(number)", ["n": .int(Int64(commit))], at: Stamp(commit * 3 + number + 1))
            }
            cache.commit(batch, "User")
        }
        let sets = told.wait(for: 200)
        #expect(sets.map(\.count) == Array(repeating: 3, count: 200))
        #expect(sets.map(\.commitNumber) == Array(1...200))
        withExtendedLifetime(observation) {}
    }

    @Test func `after cancel returns on the delivery queue no callback begins`() {
        let cache = ModelCache()
        let told = Told()
        let observation = cache.observe(.type("User"), told)
        told.queue.sync {
            cache.commit("User", "1", ["a": 1], at: 1)
            observation.cancel()
        }
        cache.commit("User", "1", ["a": 2], at: 2)
        #expect(told.sets.isEmpty)
        observation.cancel()
    }

    @Test func `a handler may cancel its own observation and hears nothing more`() {
        let cache = ModelCache()
        let told = Told()
        let token = Guarded<CacheObservation?>(nil)
        told.queue.suspend()
        let observation = cache.observe(.type("User"), on: told.queue) { set in
            told.hear(set)
            token.withLock { $0 }?.cancel()
        }
        token.withLock { $0 = observation }
        for number in 1...5 { cache.commit("User", "1", ["a": .int(Int64(number))], at: Stamp(number)) }
        told.queue.resume()
        #expect(told.sets.count == 1)
        token.withLock { $0 = nil }
    }

    @Test func `releasing the token ends the observation and releases the handler`() {
        final class Witness: Sendable {}
        let cache = ModelCache()
        let told = Told()
        weak var witness: Witness?
        do {
            let held = Witness()
            witness = held
            let observation = cache.observe(.type("User"), on: told.queue) { set in
                told.hear(set)
                withExtendedLifetime(held) {}
            }
            cache.commit("User", "1", ["a": 1], at: 1)
            #expect(told.sets.count == 1)
            withExtendedLifetime(observation) {}
        }
        told.queue.sync {}
        #expect(witness == nil)
        cache.commit("User", "1", ["a": 2], at: 2)
        #expect(told.sets.count == 1)
    }

    @Test func `a handler may read, commit and observe`() {
        let cache = ModelCache()
        let told = Told()
        let inner = Guarded<CacheObservation?>(nil)
        let observation = cache.observe(.type("User"), on: told.queue) { set in
            told.hear(set)
            guard let value = cache["User", "1"]?["n"]?.intValue, value < 3 else { return }
            cache.commit("User", "1", ["n": .int(value + 1)], at: Stamp(value + 10))
            inner.withLock { $0 = cache.observe(.model(type: "User", id: "1"), on: told.queue) { _ in } }
        }
        cache.commit("User", "1", ["n": 1], at: 1)
        let sets = told.wait(for: 3)
        #expect(sets.flatMap { $0.map(\.summary) } == ["1: - > n=1 [n]", "1: n=1 > n=2 [n]", "1: n=2 > n=3 [n]"])
        withExtendedLifetime(observation) {}
        inner.withLock { $0 = nil }
    }

    @Test func `observers of one model do not hear of one with the same hash`() {
        let cache = ModelCache()
        let told = Told()
        let hash = Fingerprint.fnv("1")
        let observation = cache.observe(.model(type: "User", id: "1"), told)
        var batch = TestBatch()
        batch.add(.merge, "other", ["a": 1], at: 1, idHash: hash)
        batch.add(.merge, "1", ["a": 2], at: 2)
        cache.commit(batch, "User")
        #expect(told.sets.flatMap { $0.map(\.id) } == ["1"])
        withExtendedLifetime(observation) {}
    }
}
