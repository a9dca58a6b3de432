import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

/// Observers of single models that share a queue: the contract of each, although what waits for all stands together.
@Suite(.timeLimit(.minutes(15)))
struct SharedInboxTests {
    private func model(_ id: String) -> Interest { .model(type: "User", id: id) }

    @Test func `each is told its own changes, in the order of the commits`() {
        let cache = ModelCache()
        let queue = DispatchQueue(label: "lane")
        let told = Guarded<[String]>([])
        let tokens = (0..<3).map { number in
            cache.observe(model("id\(number)"), on: queue) { set in
                told.withLock { $0 += set.map { "\(number): \($0.summary)" } }
            }
        }
        queue.suspend()
        for commit in 1...2 {
            var batch = TestBatch()
            for number in 0..<4 { batch.add(.merge, "id\(number)", ["n": .int(Int64(commit))], at: Stamp(commit)) }
            cache.commit(batch, "User")
        }
        queue.resume()
        queue.sync {}
        let expected = (1...2).flatMap { commit in
            (0..<3).map { "\($0): id\($0): \(commit == 1 ? "-" : "n=1") > n=\(commit) [n]" }
        }
        #expect(Set(told.withLock { $0 }) == Set(expected))
        #expect(told.withLock { $0.prefix(3).allSatisfy { $0.contains("- >") } })
        withExtendedLifetime(tokens) {}
    }

    @Test func `past the limit of all together each is told one change, from what was told last to the newest`() throws
    {
        let cache = ModelCache()
        for number in 0..<10 { cache.commit("User", "id\(number)", ["base": 7], at: 1) }
        let queue = DispatchQueue(label: "lane")
        let told = Guarded<[[Change]]>(Array(repeating: [], count: 10))
        let tokens = (0..<10).map { number in
            cache.observe(model("id\(number)"), on: queue) { set in told.withLock { $0[number] += set } }
        }
        queue.sync {}
        queue.suspend()
        for number in 0..<5_000 {
            let fields: Fields = ["f\(number / 10 % 3)": .int(Int64(number))]
            cache.commit("User", "id\(number % 10)", fields, at: Stamp(number + 10))
        }
        queue.resume()
        queue.sync {}
        let newest = (0..<10).map { cache["User", "id\($0)"] }
        let deadline = ContinuousClock.now + .seconds(30)
        while told.withLock({ $0.map(\.last?.new) }) != newest, ContinuousClock.now < deadline { queue.sync {} }
        let all = told.withLock { $0 }.map { $0.filter { !$0.isInitial } }
        for (number, changes) in all.enumerated() {
            let folded = try #require(changes.first)
            #expect(folded.isFolded)
            #expect(folded.changedFields == ["f0", "f1", "f2"])
            #expect(folded.old?.values == ["base": 7])
            #expect(changes.count < 100)
            for (earlier, later) in zip(changes, changes.dropFirst()) { #expect(later.old == earlier.new) }
            #expect(changes.last?.new == newest[number])
        }
        withExtendedLifetime(tokens) {}
    }

    @Test func `up to the limit of all together nothing is folded`() {
        let cache = ModelCache()
        let told = Told()
        let tokens = (0..<4).map { cache.observe(model("id\($0)"), told) }
        told.queue.suspend()
        for number in 0..<4_096 {
            cache.commit("User", "id\(number % 4)", ["n": .int(Int64(number))], at: Stamp(number + 1))
        }
        told.queue.resume()
        let sets = told.wait(for: 4_096)
        #expect(sets.count == 4_096)
        #expect(sets.allSatisfy { set in set.allSatisfy { !$0.isFolded } })
        #expect(sets.map(\.commitNumber) == Array(1...4_096))
        withExtendedLifetime(tokens) {}
    }

    @Test func `who is cancelled by another within a call hears nothing more, not of the same commit either`() {
        let cache = ModelCache()
        let queue = DispatchQueue(label: "lane")
        let told = Guarded<[String]>([])
        let tokens = Guarded<[CacheObservation]>([])
        for number in 0..<2 {
            let token = cache.observe(model("id\(number)"), on: queue) { _ in
                told.withLock { $0.append("id\(number)") }
                let both = tokens.withLock { $0 }
                both[1 - number].cancel()
            }
            tokens.withLock { $0.append(token) }
        }
        var batch = TestBatch()
        for number in 0..<2 { batch.add(.merge, "id\(number)", ["n": 1], at: 1) }
        cache.commit(batch, "User")
        queue.sync {}
        #expect(told.withLock { $0.count } == 1)
        tokens.withLock { $0 = [] }
    }

    @Test func `who is registered within a call is told the state first, and of what waits nothing that is in it`() {
        let cache = ModelCache()
        cache.commit("User", "b", ["n": 0], at: 1)
        let queue = DispatchQueue(label: "lane")
        let told = Guarded<[String]>([])
        let inner = Guarded<CacheObservation?>(nil)
        let outer = cache.observe(model("a"), on: queue) { _ in
            let token = cache.observe(.model(type: "User", id: "b"), on: queue) { set in
                told.withLock { $0 += set.map(\.summary) }
            }
            inner.withLock { if $0 == nil { $0 = token } }
        }
        // Also one that leaves its number to the inner one, with changes that wait.
        let former = cache.observe(model("b"), on: queue) { _ in told.withLock { $0.append("former") } }
        queue.sync {}
        queue.suspend()
        cache.commit("User", "a", ["n": 1], at: 2)
        cache.commit("User", "b", ["n": 1], at: 3)
        former.cancel()
        cache.commit("User", "b", ["n": 2], at: 4)
        queue.resume()
        queue.sync {}
        cache.commit("User", "b", ["n": 3], at: 5)
        queue.sync {}
        #expect(told.withLock { $0 } == ["former", "b: - > n=2 [n]", "b: n=2 > n=3 [n]"])
        withExtendedLifetime(outer) {}
        inner.withLock { $0 = nil }
    }

    @Test func `a handler is released outside of the locks, and its release may cancel another`() {
        final class Chain: Sendable {
            let next: Guarded<CacheObservation?>
            init(_ next: CacheObservation?) { self.next = Guarded(next) }
        }
        let cache = ModelCache()
        let queue = DispatchQueue(label: "lane")
        var token: CacheObservation?
        for number in 0..<100 {
            let chain = Chain(token)
            token = cache.observe(model("id\(number)"), on: queue) { _ in withExtendedLifetime(chain) {} }
        }
        weak let last = token
        token = nil
        queue.sync {}
        #expect(last == nil)
        cache.commit("User", "id0", ["n": 1], at: 1)
        queue.sync {}
    }

    @Test func `of one model all are told, however they listen`() async {
        let cache = ModelCache()
        let told = (0..<3).map { _ in Lines() }
        let queues = [DispatchQueue(label: "one"), DispatchQueue(label: "other")]
        let many = Guarded(0)
        var tokens = (0..<40).map { number in
            cache.observe(model("1"), on: queues[number % 2]) { set in many.withLock { $0 += set.count } }
        }
        tokens.append(cache.observe(model("1"), on: queues[0]) { set in told[0].hear(set) })
        tokens.append(cache.observe(model("1"), inline: { set in told[1].hear(set) }))
        tokens.append(
            cache.observe(.type("User"), on: queues[1]) { set in told[2].hear(set) })
        let stream = cache.changes(model("1"))
        cache.commit("User", "1", ["n": 1], at: 1)
        cache.commit("User", "1", ["n": 2], at: 2)
        var iterator = stream.makeAsyncIterator()
        let expected = ["1: - > n=1 [n]", "1: n=1 > n=2 [n]"]
        #expect(await iterator.next()?.map(\.summary) == [expected[0]])
        #expect(await iterator.next()?.map(\.summary) == [expected[1]])
        await drained(queues)
        for lines in told { #expect(lines.all == expected) }
        #expect(many.withLock { $0 } == 80)
        for token in tokens { token.cancel() }
        cache.commit("User", "1", ["n": 3], at: 3)
        await drained(queues)
        #expect(many.withLock { $0 } == 80)
    }

    /// Returns when the queues have done what was scheduled.
    private func drained(_ queues: [DispatchQueue]) async {
        for queue in queues {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        }
    }

    /// Were the cost of one that of all others, these would take hours: the suite's time limit is what fails.
    @Test(arguments: [1, 100_000])
    func `a hundred thousand come and go, of as many models or of one`(models: Int) {
        let cache = ModelCache()
        let told = Guarded(0)
        let queue = DispatchQueue(label: "lane")
        for round in 1...2 {
            let tokens = (0..<100_000).map { number in
                cache.observe(model("id\(number % models)"), on: queue) { set in told.withLock { $0 += set.count } }
            }
            let before = told.withLock { $0 }
            cache.commit("User", "id0", ["n": .int(Int64(round))], at: Stamp(round))
            queue.sync {}
            while told.withLock({ $0 }) < before + 100_000 / models { queue.sync {} }
            if round == 1 { #expect(told.withLock { $0 } == 100_000 / models) }
            for token in tokens { token.cancel() }
            queue.sync {}
        }
        let before = told.withLock { $0 }
        cache.commit("User", "id0", ["n": 9], at: 9)
        queue.sync {}
        #expect(told.withLock { $0 } == before)
    }
}

/// What an observer was told, as text.
private final class Lines: Sendable {
    private let told = Guarded<[String]>([])

    var all: [String] { told.withLock { $0 } }

    func hear(_ set: ChangeSet) { told.withLock { $0 += set.map(\.summary) } }
}
