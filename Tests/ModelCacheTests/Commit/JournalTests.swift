@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

struct JournalTests {
    /// What the journal holds, as `type/id` with the number of cells, or a sign.
    private func told(_ cache: ModelCache) -> [String] {
        cache.takeJournal().map { entry in
            let state = entry.isRemoval ? "gone" : entry.record.exists ? "\(entry.record.cells.count)" : "deleted"
            return "\(entry.type)/\(entry.record.id) \(state)"
        }
    }

    @Test func `every change is noted once it was asked for, in order`() {
        let cache = ModelCache()
        cache.commit("User", "before", ["a": 1], at: 1)
        #expect(cache.takeJournal().isEmpty)
        cache.startJournal()
        cache.commit("User", "1", ["a": 1], at: 2)
        cache.commit("Order", "1", ["a": 1, "b": 2], at: 3)
        cache.commit("User", "1", ["a": 1], at: 2)
        cache.commit("User", "1", as: .delete, at: 4)
        #expect(told(cache) == ["User/1 1", "Order/1 2", "User/1 deleted"])
        #expect(cache.takeJournal().isEmpty)
    }

    @Test func `a change of versions that no reader sees is noted`() throws {
        let cache = ModelCache()
        cache.startJournal()
        cache.commit("User", "1", ["a": 1], at: 2)
        _ = cache.takeJournal()
        let summary = cache.commit("User", "1", ["a": 1], at: 3)
        #expect(summary.visible == 0)
        let noted = cache.takeJournal()
        #expect(noted.count == 1)
        #expect(noted.first?.record.touched?.stamp == 3)
    }

    @Test func `what is taken out is noted as gone, also tombstones that are let go`() {
        let cache = ModelCache()
        cache.startJournal()
        cache.commit("User", "1", ["a": 1], at: 1)
        cache.commit("User", "2", as: .delete, at: 1)
        _ = cache.takeJournal()
        cache.commit { $0.overwrite(type: "User", id: "1", with: nil) }
        #expect(cache.dropTombstones(of: "User", olderThan: .max) == 1)
        #expect(told(cache) == ["User/1 gone", "User/2 gone"])
    }

    @Test func `the notes of all changes make the same copy`() {
        forEachSeed(100) { _, generator in
            let (cache, copy) = (ModelCache(), ModelCache())
            cache.startJournal()
            for stamp in 1...200 as ClosedRange<UInt64> {
                let id = "\(Int.random(in: 0..<20, using: &generator))"
                let isDelete = Int.random(in: 0..<5, using: &generator) == 0
                cache.commit(
                    "User", id, isDelete ? [:] : ["a": .int(Int64(stamp))], as: isDelete ? .delete : .merge, at: stamp)
                guard stamp.isMultiple(of: 7) else { continue }
                for entry in cache.takeJournal() { copy.commit { $0.join(entry.record, type: entry.type) } }
            }
            for entry in cache.takeJournal() { copy.commit { $0.join(entry.record, type: entry.type) } }
            try #require(copy.digest(of: "User") == cache.digest(of: "User"))
            try #require(copy.count(of: "User") == cache.count(of: "User"))
        }
    }
}
