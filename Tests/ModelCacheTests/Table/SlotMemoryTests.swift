@_spi(CacheWriting) import ModelCache
@_spi(RecordWriting) import ModelRecord
import Synchronization
import TestSupport
import Testing

@testable import ModelCache

/// Where slots are, from the first to those in pages of their own.
@Suite(.timeLimit(.minutes(15))) struct SlotMemoryTests {
    @Test func `capacities grow by no more than twice, and from two pages on by half or a third`() {
        var capacity = SlotCapacity.first
        #expect(capacity.count == 4 && !capacity.isPaged)
        while capacity.count < 1 << 30 {
            let next = capacity.next
            #expect(next.count > capacity.count && next.count <= capacity.count * 2)
            if capacity.isPaged { #expect(next.byteCount % 4096 == 0) }
            if capacity.byteCount >= 1 << 17 { #expect(next.count * 2 <= capacity.count * 3) }
            #expect(SlotCapacity(code: next.code).count == next.count)
            capacity = next
        }
    }

    @Test func `a word tells its record, the end of its hash, and whether it is locked`() throws {
        let cache = ModelCache()
        cache.commit("T", "1", ["n": 1], at: 1 << 16)
        let record = try #require(cache["T", "1"])
        let unmanaged = unsafe UnmanagedRecord(address: record.address)
        let word = unsafe SlotWord(unmanaged, hash: 0x1234_5678_9ABC_DEF0)
        #expect(!word.isEmpty && !word.isLocked && word.locked.isLocked && word.locked.unlocked == word)
        #expect(word.resembles(0xDEF0) && word.locked.resembles(0x1234_5678_9ABC_DEF0) && !word.resembles(0xDEF1))
        #expect(unsafe word.locked.record?.address == record.address)
        #expect(SlotWord.empty.isEmpty)
        #expect(unsafe SlotWord.empty.record == nil)
    }

    @Test func `of many models each is found, walked once, and gone when it is taken out`() {
        // Enough for arrays that share huge pages, which shards have come to by all sizes before.
        let (cache, count, step) = (ModelCache(), 160_000, 2_000)
        for start in stride(from: 0, to: count, by: step) {
            var batch = TestBatch()
            for number in start..<(start + step) {
                batch.add(.merge, "m\(number)", ["n": .int(Int64(number))], at: 1 << 16)
            }
            cache.commit(batch, "T")
        }
        let table = cache.table("T")
        var wrong = 0
        for number in 0..<count where table["m\(number)"]?["n"] != .int(Int64(number)) { wrong += 1 }
        #expect(wrong == 0)
        let held = cache.snapshot()
        cache.commit { commit in
            for number in stride(from: 0, to: count, by: 8) { commit.overwrite(type: "T", id: "m\(number)", with: nil) }
        }
        wrong = 0
        for number in 0..<count where (table["m\(number)"] == nil) != (number % 8 == 0) { wrong += 1 }
        #expect(wrong == 0 && table["m\(count)"] == nil)
        for (snapshot, expected) in [(held, count), (cache.snapshot(), count / 8 * 7)] {
            var seen: Set<Int64> = []
            snapshot.forEach(type: "T") { record in
                seen.insert(record["n"]?.intValue ?? -1)
                return true
            }
            #expect(seen.count == expected && snapshot.count(of: "T") == expected)
        }
    }
}
