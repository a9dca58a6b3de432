import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

/// Observers without a queue: the contract of all others, on the thread that commits.
@Suite(.timeLimit(.minutes(15)))
struct InlineObservationTests {
    @Test func `the state is told before the call returns, and a change before the commit does`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1], at: 1)
        let told = Guarded<[String]>([])
        let observation = cache.observe(
            .type("User"), inline: { set in told.withLock { $0 += set.map(\.summary) } })
        #expect(told.withLock { $0 } == ["1: - > a=1 [a]"])
        cache.commit("User", "1", ["a": 5], at: 4)
        #expect(told.withLock { $0 } == ["1: - > a=1 [a]", "1: a=1 > a=5 [a]"])
        observation.cancel()
        cache.commit("User", "1", ["a": 6], at: 5)
        #expect(told.withLock { $0.count } == 2)
    }

    @Test func `a handler may read, observe, commit and cancel, and what it commits is told when it has returned`() {
        let cache = ModelCache()
        let token = Guarded<CacheObservation?>(nil)
        let inner = Guarded<CacheObservation?>(nil)
        let told = Guarded<[String]>([])
        let depth = Guarded((now: 0, most: 0))
        let handler: @Sendable (ChangeSet) -> Void = { set in
            depth.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
            for change in set {
                told.withLock { $0.append(change.summary) }
                switch change.new?["a"]?.intValue {
                case 1: cache.commit("User", "1", ["a": 2], at: 2)
                case 2:
                    let other = cache.observe(
                        .type("User"), inline: { set in told.withLock { $0 += set.map { "inner \($0.summary)" } } })
                    inner.withLock { $0 = other }
                default: token.withLock { $0.take() }?.cancel()
                }
            }
            depth.withLock { $0.now -= 1 }
        }
        let observation = cache.observe(.type("User"), inline: handler)
        token.withLock { $0 = observation }
        cache.commit("User", "1", ["a": 1], at: 1)
        cache.commit("User", "1", ["a": 3], at: 3)
        cache.commit("User", "1", ["a": 4], at: 4)
        #expect(
            told.withLock { $0 }.filter { !$0.hasPrefix("inner") } == [
                "1: - > a=1 [a]", "1: a=1 > a=2 [a]", "1: a=2 > a=3 [a]",
            ])
        #expect(
            told.withLock { $0 }.filter { $0.hasPrefix("inner") } == [
                "inner 1: - > a=2 [a]", "inner 1: a=2 > a=3 [a]", "inner 1: a=3 > a=4 [a]",
            ])
        #expect(depth.withLock { $0.most } == 1, "calls never overlap, not even on one thread")
    }

    @Test func `of threads that commit at once each change is told once, in order, one at a time`() {
        let cache = ModelCache()
        let state = Guarded((last: UInt64(0), told: 0, inside: false, faults: 0))
        let handler: @Sendable (ChangeSet) -> Void = { set in
            state.withLock { state in
                if state.inside || set.commitNumber <= state.last { state.faults += 1 }
                state.inside = true
                state.last = set.commitNumber
            }
            let count = set.reduce(0) { sum, _ in sum + 1 }
            state.withLock { state in
                state.inside = false
                state.told += count
            }
        }
        let observation = cache.observe(.everything, inline: handler)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<500 {
                cache.commit("T\(thread)", "\(number % 7)", ["n": .int(Int64(number))], at: Stamp(number + 1))
            }
        }
        // Whoever tells may still be at work for another thread: the last of them ends before its own commit does.
        #expect(state.withLock { $0.faults } == 0)
        #expect(state.withLock { $0.told } == 2_000)
        withExtendedLifetime(observation) {}
    }
}
