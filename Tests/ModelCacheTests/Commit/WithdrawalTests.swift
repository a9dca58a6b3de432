@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

/// Models that are withdrawn from readers: absent to all of them, and unchanged to everything else.
@Suite struct WithdrawalTests {
    /// Two caches that take the same updates; in one of them models are withdrawn now and then.
    private struct Pair {
        let plain = ModelCache()
        let cache = ModelCache()
        let stream: ChangeStream
        var generator: SeededGenerator
        var stamp: UInt64 = 1 << 40

        init(seed: UInt64) {
            generator = SeededGenerator(seed: seed)
            stream = cache.changes(.type("User"))
        }

        mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

        /// Applies a batch of a few updates to both, one that may be old.
        mutating func write() throws {
            var batch = BatchWriter()
            stamp += UInt64(pick(9))
            // A batch may be older than others that came before it.
            var next = stamp - UInt64(pick(6))
            for _ in 0...pick(3) {
                var fields: Fields = [:]
                let operation = [UpdateOperation.merge, .merge, .merge, .replace, .delete][pick(5)]
                if operation != .delete {
                    for name in ["a", "b"] where pick(2) == 0 { fields[name] = .int(Int64(pick(3))) }
                    if pick(3) == 0 { fields["$leaseMs"] = pick(4) == 0 ? .undefined : .int(Int64(1_000 + pick(2))) }
                }
                next += UInt64(1 + pick(3))
                try batch.append(operation, stamp: next, id: "\(pick(6))", fields: fields)
            }
            let frame = batch.finish(origin: ["p", "q"][pick(2)], incarnation: 1, sequence: 1)
            var decoder = BatchDecoder()
            try decoder.decode(frame.span)
            for cache in [plain, cache] { cache.commit(decoder.batch(in: frame.span), type: "User") }
        }

        mutating func withdraw() {
            let (id, isWithdrawn) = ("\(pick(6))", pick(3) > 0)
            let record = cache.record(type: "User", id: id, includingTombstones: true)
            guard let record, record.lease != nil || !isWithdrawn else { return }
            cache.commit { $0.setWithdrawn(isWithdrawn, type: "User", id: id) }
        }

        func all(_ cache: ModelCache) -> [String: CellRecord] {
            var all: [String: CellRecord] = [:]
            cache.snapshot().forEach(type: "User", includingTombstones: true) { record in
                all[record.id] = record
                return true
            }
            return all
        }

        func shown() -> [String: [String: Value]] {
            Dictionary(uniqueKeysWithValues: cache.snapshot().records(of: "User").map { ($0.id, $0.values) })
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `what is withdrawn is absent to readers, and changes nothing else`(seed: UInt64) async throws {
        var pair = Pair(seed: seed)
        for _ in 0..<120 {
            let before = pair.all(pair.cache).filter { $0.value.isWithdrawn }
            let isWrite = pair.pick(3) > 0
            if isWrite { try pair.write() } else { pair.withdraw() }
            // What is written into a withdrawn model does not bring it back, as long as it has that lease.
            for (id, old) in before where isWrite {
                let new = pair.cache.record(type: "User", id: id, includingTombstones: true)
                let keepsLease = new?.exists ?? false && new?.lease == old.lease
                #expect(new?.isWithdrawn == keepsLease)
            }
            let (all, plain) = (pair.all(pair.cache), pair.all(pair.plain))
            #expect(all == plain && pair.cache.digest(of: "User") == pair.plain.digest(of: "User"))
            let present = all.values.filter { $0.exists && !$0.isWithdrawn }
            #expect(pair.cache.count(of: "User") == present.count)
            #expect(Set(pair.shown().keys) == Set(present.map(\.id)))
            for (id, record) in all {
                #expect((pair.cache["User", id] != nil) == record.isPresent)
                // Only with its lease is a model withdrawn.
                #expect(!record.isWithdrawn || record.lease != nil)
            }
            if !(all == plain) { return }
        }
        // What an observer is told, folded, is what readers see.
        let shown = pair.shown()
        pair.cache.endStreams()
        var told: [String: [String: Value]] = [:]
        for await changes in pair.stream {
            for change in changes {
                #expect((told[change.id] != nil) == (change.old != nil), "\(change.id) \(change.reason)")
                #expect(told[change.id] ?? [:] != change.new?.values ?? [:] || change.old == nil || change.new == nil)
                let names = Set((told[change.id] ?? [:]).keys).union((change.new?.values ?? [:]).keys)
                    .filter { told[change.id]?[$0] != change.new?.values[$0] }
                if !change.isFolded { #expect(Set(change.changedFields) == names, "\(change.reason)") }
                told[change.id] = change.new?.values
            }
        }
        #expect(told == shown)
    }

    @Test func `an observer is told why a model went, and why it is back`() async throws {
        let cache = ModelCache()
        let stream = cache.changes(.type("User"))
        var batch = BatchWriter()
        try batch.append(.merge, stamp: 1 << 40, id: "1", fields: ["a": 1, "$leaseMs": 1_000])
        let frame = batch.finish(origin: "p", incarnation: 1, sequence: 1)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        cache.commit(decoder.batch(in: frame.span), type: "User")
        cache.commit { $0.setWithdrawn(true, type: "User", id: "1") }
        #expect(cache["User", "1"] == nil && cache.tombstoneCount(of: "User") == 1)
        // It is no tombstone that may be forgotten.
        #expect(cache.dropTombstones(of: "User", olderThan: .max) == 0)
        cache.commit { $0.setWithdrawn(false, type: "User", id: "1") }
        cache.endStreams()
        var reasons: [ChangeReason] = []
        for await changes in stream { reasons += changes.map(\.reason) }
        #expect(reasons == [.written, .leaseEnded, .returned] || reasons.last == .returned)
    }
}
