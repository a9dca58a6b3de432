import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import TestSupport
import Testing

struct EvictionTests {
    @Test func `a copy with a limit holds so many models, and tells which have left it from those that never were`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 10)]))
        for number in 0..<100 { cache.commit("User", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        #expect(cache.enforceLimits(now: 1) == 90)
        #expect(cache.count(of: "User") == 10)
        let presences = (0..<100).map { cache.presence(of: "User", "\($0)") }
        #expect(presences.count { $0 == .here } == 10)
        #expect(presences.count { $0 == .evicted } == 90)
        #expect(cache.presence(of: "User", "100") == .absent)
        #expect(cache.presence(of: "Order", "1") == .absent)
        #expect(cache.evictedCount(of: "User") == 90)
        #expect(cache.hasEvicted("User"))
        #expect(cache.evictionCounts.evictions == 90)
    }

    @Test func `an observer that asks for evictions is told what leaves, and no other is`() async {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 2)]))
        let asking = [cache.changes(.type("User"), evictions: true), cache.changes(.everything, evictions: true)]
        let others = [cache.changes(.type("User")), cache.changes(.everything)]
        let observed = cache.changes(.model(type: "User", id: "0"), evictions: true)
        for number in 0..<4 { cache.commit("User", "\(number)", ["a": .int(Int64(number))], at: Stamp(number + 1)) }
        #expect(cache.enforceLimits(now: 1) == 2)
        cache.endStreams()
        func told(_ stream: ChangeStream) async -> [Change] {
            var told: [Change] = []
            for await changes in stream { told += changes }
            return told
        }
        for stream in asking {
            let changes = await told(stream)
            #expect(changes.map(\.reason) == Array(repeating: .written, count: 4) + [.evicted, .evicted])
            for change in changes.suffix(2) {
                #expect(change.new == nil && change.old?["a"] == Int64(change.id).map(Value.int))
                #expect(cache.presence(of: "User", change.id) == .evicted)
            }
        }
        for stream in others { #expect(await told(stream).map(\.reason) == Array(repeating: .written, count: 4)) }
        // A model that is observed by its id stays.
        #expect(await told(observed).map(\.reason) == [.written])
        #expect(cache.presence(of: "User", "0") == .here)
    }

    @Test func `what left and came back while its observer slept is told as one change, and a delete as a delete`()
        async
    {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 1)]))
        let stream = cache.changes(.type("User"), evictions: true)
        for number in 0..<3 { cache.commit("User", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        cache.enforceLimits(now: 1)
        let gone = (0..<3).map { "\($0)" }.filter { cache.presence(of: "User", $0) == .evicted }
        // So many wait that they are folded.
        for number in 0..<5_000 { cache.commit("Order", "1", ["a": .int(Int64(number))], at: Stamp(number + 1)) }
        for id in gone {
            cache.beginArrivals([id], type: "User")
            cache.commit("User", id, ["a": 2], at: 10)
            cache.commit { commit in commit.endArrivals([id], type: "User") }
        }
        for id in ["0", "1", "2"] {
            for stamp in 20..<2_020 as Range<Stamp> { cache.commit("User", id, ["a": .int(Int64(stamp))], at: stamp) }
        }
        cache.commit("User", "0", as: .delete, at: 3_000)
        cache.endStreams()
        var last: [String: Change] = [:]
        var folded = 0
        for await changes in stream {
            for change in changes {
                last[change.id] = change
                if change.isFolded { folded += 1 }
            }
        }
        #expect(folded > 0)
        #expect(last.mapValues(\.reason) == ["0": .deleted, "1": .written, "2": .written])
    }

    @Test func `types without a limit are kept whole`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 1)]))
        for number in 0..<100 { cache.commit("Order", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        #expect(cache.enforceLimits(now: 1) == 0)
        #expect(cache.count(of: "Order") == 100)
        #expect(!cache.hasEvicted("Order"))
    }

    @Test func `all types together have a limit, and each gives according to its size`() {
        let cache = ModelCache(limits: CacheLimits(all: ModelLimits(count: 100)))
        for number in 0..<300 { cache.commit("User", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        for number in 0..<100 { cache.commit("Order", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        cache.enforceLimits(now: 1)
        #expect(cache.count(of: "User") + cache.count(of: "Order") <= 100)
        #expect((60...90).contains(cache.count(of: "User")))
        #expect((10...40).contains(cache.count(of: "Order")))
    }

    @Test func `a type that is only read keeps its models beside one that is written all the time`() {
        let cache = ModelCache(limits: CacheLimits(all: ModelLimits(count: 200)))
        let table = cache.table("Rate")
        for number in 0..<50 { cache.commit("Rate", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        for round in 0..<200 {
            for number in 0..<50 { #expect(table["\(number)"] != nil) }
            for number in 0..<20 { cache.commit("Tick", "\(round)-\(number)", ["a": 1], at: Stamp(round + 1)) }
            cache.enforceLimits(now: UInt64(round + 1))
            #expect(cache.count(of: "Rate") + cache.count(of: "Tick") <= 200)
        }
        #expect(cache.count(of: "Rate") == 50)
    }

    @Test func `limits are kept to although all models were read since the last look, and many types hold few each`() {
        forEachSeed(20) { _, generator in
            let types = (0..<Int.random(in: 1...40, using: &generator)).map { "T\($0)" }
            let cache = ModelCache(limits: CacheLimits(all: ModelLimits(count: 60)))
            for step in 1...40 {
                for _ in 0..<20 {
                    let type = types[Int.random(in: 0..<types.count, using: &generator)]
                    cache.commit(type, "\(Int.random(in: 0...99, using: &generator))", ["a": 1], at: Stamp(step))
                }
                for type in types { for id in 0...99 { _ = cache[type, "\(id)"] } }
                cache.enforceLimits(now: UInt64(step))
                #expect(types.reduce(0) { $0 + cache.count(of: $1) } <= 60)
            }
        }
    }

    @Test func `deletes of models that have left are forgotten with the tombstones of their time`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 10)]))
        for number in 0..<1_000 { cache.commit("User", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        cache.enforceLimits(now: 1)
        #expect(cache.evictedCount(of: "User") == 990)
        var batch = TestBatch()
        for number in 0..<1_000 { batch.add(.delete, "\(number)", [:], at: 2_000) }
        cache.commit(batch, "User")
        #expect(cache.evictedCount(of: "User") == 0)
        #expect((0..<1_000).allSatisfy { cache.presence(of: "User", "\($0)") == .absent })
        #expect(cache.tombstoneCount(of: "User") == 1_000)
        #expect(cache.hasEvicted("User"))
        cache.dropTombstones(of: "User", olderThan: 2_001)
        #expect(cache.tombstoneCount(of: "User") == 0)
        #expect(!cache.hasEvicted("User"))
    }

    @Test func `an update that comes late to a deleted model that had left makes no half of it`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 1)]))
        cache.setPinned(true, type: "User", id: "keep")
        for id in ["1", "keep"] { cache.commit("User", id, ["a": 1, "b": 1], at: 1) }
        cache.enforceLimits(now: 1)
        var batch = TestBatch()
        batch.add(.delete, "1", [:], at: 100)
        cache.commit(batch, "User")
        // Older than the delete: what it says is no more.
        cache.commit("User", "1", ["a": 2], at: 50)
        #expect(cache.presence(of: "User", "1") == .absent && cache["User", "1"] == nil)
        // Newer: the model exists again, and is not here.
        cache.commit("User", "1", ["a": 3], at: 200)
        #expect(cache.presence(of: "User", "1") == .evicted && cache["User", "1"] == nil)
        // A delete that comes late does not end it.
        var late = TestBatch()
        late.add(.delete, "1", [:], at: 150)
        cache.commit(late, "User")
        #expect(cache.presence(of: "User", "1") == .evicted)
    }

    @Test func `what is read or changed stays, and what nobody uses leaves`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 100)]))
        let table = cache.table("User")
        for number in 0..<100 { cache.commit("User", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        for round in 0..<50 {
            // Ten are read, and ten are changed, half of these in their place.
            for number in 0..<10 { #expect(table["\(number)"] != nil) }
            for number in 10..<20 {
                cache.commit("User", "\(number)", ["a": round % 2 == 0 ? 2 : 3], at: Stamp(1_000 + round * 10))
            }
            for number in 0..<20 { cache.commit("User", "new-\(round)-\(number)", ["a": 1], at: Stamp(round + 1)) }
            cache.enforceLimits(now: UInt64(round + 1))
        }
        for number in 0..<20 { #expect(cache.presence(of: "User", "\(number)") == .here) }
        #expect(cache.count(of: "User") == 100)
    }

    @Test func `the size of all records is counted, whatever is written, deleted, forgotten and evicted`() {
        forEachSeed(40) { _, generator in
            let limits = ModelLimits(count: Int.random(in: 5...50, using: &generator), bytes: 20_000)
            let cache = ModelCache(limits: CacheLimits(types: ["User": limits]))
            var snapshots: [Snapshot] = []
            for step in 1...60 {
                var batch = TestBatch()
                for _ in 0..<Int.random(in: 1...20, using: &generator) {
                    let id = "\(Int.random(in: 0...60, using: &generator))"
                    let text = String(repeating: "x", count: Int.random(in: 0...200, using: &generator))
                    let operation = [UpdateOperation.merge, .merge, .replace, .delete][
                        Int.random(in: 0...3, using: &generator)]
                    batch.add(operation, id, operation == .delete ? [:] : ["a": .text(text)], at: Stamp(step))
                }
                if Bool.random(using: &generator) {
                    _ = batch.commit(to: cache, in: cache.table("User"))
                } else {
                    cache.commit(batch, "User")
                }
                if step % 7 == 0 { cache.dropTombstones(of: "User", olderThan: Stamp(step / 2)) }
                if step % 5 == 0 { snapshots.append(cache.snapshot()) }
                if step % 9 == 0 { snapshots.removeAll() }
                cache.enforceLimits(now: UInt64(step))
                var byteCount = 0
                cache.snapshot().forEach(type: "User", includingTombstones: true) { record in
                    byteCount += record.heldByteCount + ModelLimits.overheadByteCount
                    return true
                }
                #expect(cache.limitedByteCount(of: "User") == byteCount)
                #expect(cache.count(of: "User") <= limits.count ?? 0)
            }
        }
    }

    @Test func `a model that is found again as the search goes around counts once`() {
        forEachSeed(50) { _, generator in
            let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 10)]))
            for step in 1...20 {
                let held = (0..<step * 10).map { "\($0)" }.filter { cache.presence(of: "User", $0) == .here }
                for id in held.shuffled(using: &generator).prefix(step % 10) { _ = cache["User", id] }
                for number in 0..<10 {
                    cache.commit("User", "\(step * 10 + number)", ["a": 1], at: Stamp(step))
                    _ = cache["User", "\(step * 10 + number)"]
                }
                cache.enforceLimits(now: UInt64(step))
                #expect(cache.count(of: "User") == 10)
            }
        }
    }

    @Test func `bytes are limited, too`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(bytes: 100_000)]))
        let text = String(repeating: "x", count: 1_000)
        for number in 0..<1_000 {
            cache.commit("User", "\(number)", ["a": .text(text)], at: Stamp(number + 1))
            cache.enforceLimits(now: UInt64(number + 1))
            #expect(cache.limitedByteCount(of: "User") <= 100_000)
        }
        #expect(cache.limitedByteCount(of: "User") > 97_000)
    }

    @Test func `a model leaves between its idle time and half as much again`() {
        forEachSeed(20) { _, generator in
            let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(idle: .seconds(64))]))
            var lastUse: [String: UInt64] = [:]
            for second in UInt64(1)...400 {
                let now = second * 1_000_000
                for _ in 0..<3 {
                    let id = "\(Int.random(in: 0...100, using: &generator))"
                    switch cache.presence(of: "User", id) {
                    case .here:
                        if Bool.random(using: &generator) {
                            cache.commit("User", id, ["a": .int(Int64(second))], at: second)
                        } else {
                            #expect(cache["User", id] != nil)
                        }
                    case .evicted, .absent:
                        guard lastUse[id] == nil else { continue }
                        cache.commit("User", id, ["a": 1], at: second)
                    }
                    lastUse[id] = now
                }
                cache.enforceLimits(now: now)
                for (id, used) in lastUse {
                    let isHere = cache.presence(of: "User", id) == .here
                    if now - used < 64_000_000 { #expect(isHere) }
                    if now - used > 98_000_000 { #expect(!isHere) }
                }
            }
        }
    }

    @Test func `models that are observed by their ids, pinned or leased stay`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 3)]))
        for number in 0..<50 {
            let fields: Fields = number == 3 ? ["a": 1, "$leaseMs": 1_000] : ["a": 1]
            cache.commit("User", "\(number)", fields, at: Stamp(number + 1))
        }
        let queue = DispatchQueue(label: "observer")
        let observation = cache.observe(.model(type: "User", id: "1"), on: queue) { _ in }
        cache.setPinned(true, type: "User", id: "2")
        for round in 1...20 { cache.enforceLimits(now: UInt64(round)) }
        #expect(cache.count(of: "User") == 3)
        for id in ["1", "2", "3"] { #expect(cache.presence(of: "User", id) == .here) }
        observation.cancel()
        cache.setPinned(false, type: "User", id: "2")
        for number in 50..<100 { cache.commit("User", "\(number)", ["a": 1], at: Stamp(number + 1)) }
        for round in 21...60 { cache.enforceLimits(now: UInt64(round)) }
        #expect(cache.presence(of: "User", "1") == .evicted)
        #expect(cache.presence(of: "User", "2") == .evicted)
        #expect(cache.presence(of: "User", "3") == .here)
    }

    @Test func `a copy of which nothing may leave stays as it is, and costs a bounded look`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 1)]))
        for number in 0..<1_000 {
            cache.commit("User", "\(number)", ["a": 1, "$leaseMs": 1_000], at: Stamp(number + 1))
        }
        #expect(cache.enforceLimits(now: 1) == 0)
        #expect(cache.count(of: "User") == 1_000)
    }

    @Test func `a snapshot that was opened before goes on showing what has left since`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 10)]))
        for number in 0..<100 { cache.commit("User", "\(number)", ["a": .int(Int64(number))], at: Stamp(number + 1)) }
        let snapshot = cache.snapshot()
        cache.enforceLimits(now: 1)
        for number in 0..<100 { #expect(snapshot["User", "\(number)"]?["a"] == .int(Int64(number))) }
        #expect(cache.snapshot().count(of: "User") == 10)
    }

    @Test func `observers are not told that a model has left, and are told when it is back`() {
        let cache = ModelCache(limits: CacheLimits(types: ["User": ModelLimits(count: 1)]))
        let queue = DispatchQueue(label: "observer")
        let told = Told()
        let observation = cache.observe(.type("User"), on: queue) { told.hear($0) }
        cache.commit("User", "1", ["a": 1], at: 1)
        cache.commit("User", "2", ["a": 1], at: 2)
        cache.enforceLimits(now: 1)
        queue.sync {}
        #expect(told.lines == ["1 true false", "2 true false"])
        let gone = cache.presence(of: "User", "1") == .evicted ? "1" : "2"
        cache.beginArrivals([gone], type: "User")
        cache.keepArriving([CellRecord.of(gone, ["a": 1], at: 1)], type: "User")
        cache.commit { $0.endArrivals([gone], type: "User") }
        queue.sync {}
        #expect(told.lines.last == "\(gone) true false")
        observation.cancel()
    }
}

/// What an observer was told: each id, whether it was new, and whether it is gone.
private final class Told: Sendable {
    private let heard = Guarded<[String]>([])

    var lines: [String] { heard.withLock { $0 } }

    func hear(_ set: ChangeSet) {
        heard.withLock { heard in
            for change in set { heard.append("\(change.id) \(change.old == nil) \(change.new == nil)") }
        }
    }
}
