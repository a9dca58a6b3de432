@_spi(CacheWriting) import ModelCache
import ModelRecord
import Testing

@testable import ModelCache

/// Work that is done while a model's memory is on its way.
@Suite(.timeLimit(.minutes(15))) struct FetchingTests {
    private struct Refusal: Error, Equatable {}

    private func fetching<Result>(
        _ type: String, _ id: String, in cache: ModelCache, _ work: () throws -> Result
    ) rethrows -> Result {
        try cache.fetching(type, idHash: Fingerprint.fnv(id), during: work)
    }

    @Test func `the work is done once, whether the model is there or not, and its result or error comes back`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["age": 30], at: 1 << 16)
        for (type, id) in [("User", "1"), ("User", "2"), ("Order", "1")] {
            var count = 0
            let result = fetching(type, id, in: cache) {
                count += 1
                return "done"
            }
            #expect(result == "done" && count == 1)
            #expect(throws: Refusal()) { try fetching(type, id, in: cache) { throw Refusal() } }
        }
    }

    @Test func `nothing comes to be by asking for it`() {
        let cache = ModelCache()
        cache.commit("User", "1", ["age": 30], at: 1 << 16)
        let digest = cache.digest(of: "User")
        for id in ["1", "2"] { fetching("User", id, in: cache) {} }
        fetching("Order", "1", in: cache) {}
        #expect(cache.existingTable("Order") == nil)
        #expect(cache.count(of: "User") == 1 && cache.digest(of: "User") == digest)
        #expect(cache.record(type: "User", id: "2", includingTombstones: true) == nil)
    }

    @Test func `the work may write the very model, and its type's first`() {
        let cache = ModelCache()
        for id in ["1", "2"] {
            _ = fetching("User", id, in: cache) { cache.commit("User", id, ["age": 31], at: 1 << 16) }
        }
        #expect(cache["User", "1"]?["age"] == 31 && cache["User", "2"]?["age"] == 31)
    }
}
