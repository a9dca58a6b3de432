@_spi(CacheWriting) import ModelCache
import ModelRecord
import Testing

@Suite(.timeLimit(.minutes(15)))
struct ChangeStreamTests {
    @Test func `a stream gives the state first, then changes in order`() async {
        let cache = ModelCache()
        cache.commit("User", "1", ["a": 1], at: 1)
        let stream = cache.changes(.type("User"))
        cache.commit("User", "1", ["a": 2], at: 2)
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next()?.map(\.summary) == ["1: - > a=1 [a]"])
        #expect(await iterator.next()?.map(\.summary) == ["1: a=1 > a=2 [a]"])
    }

    @Test func `a consumer that waits is woken by a commit`() async {
        let cache = ModelCache()
        let stream = cache.changes(.type("User"))
        let task = Task {
            var seen: [Int64] = []
            for await set in stream {
                seen += set.compactMap { $0.new?["n"]?.intValue }
                if seen.last == 100 { break }
            }
            return seen
        }
        for number in 1...100 { cache.commit("User", "1", ["n": .int(Int64(number))], at: Stamp(number)) }
        #expect(await task.value == Array(1...100))
    }

    @Test func `a cancelled task ends the stream`() async {
        let cache = ModelCache()
        let stream = cache.changes(.model(type: "User", id: "1"))
        let task = Task {
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
        var iterator = stream.makeAsyncIterator()
        cache.commit("User", "1", ["n": 1], at: 1)
        #expect(await iterator.next()?.count == nil)
    }

    @Test func `cancelling the stream ends a consumer that waits`() async {
        let cache = ModelCache()
        let stream = cache.changes(.everything)
        let task = Task {
            for await _ in stream {}
            return true
        }
        await Task.yield()
        stream.cancel()
        #expect(await task.value)
    }

    @Test func `a consumer that does not come is owed folded changes, not all of them`() async throws {
        let cache = ModelCache()
        let stream = cache.changes(.type("User"))
        for number in 1...10_000 {
            cache.commit("User", "\(number % 5)", ["n": .int(Int64(number))], at: Stamp(number))
        }
        var told = 0
        var last: [String: CellRecord] = [:]
        for await set in stream {
            told += set.count
            for change in set { last[change.id] = change.new }
            if set.last?.new?["n"] == 10_000 { break }
        }
        #expect(told < 5_000)
        #expect((0..<5).allSatisfy { last["\($0)"] == cache["User", "\($0)"] })
    }
}
