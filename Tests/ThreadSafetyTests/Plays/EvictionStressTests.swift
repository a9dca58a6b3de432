import Dispatch
@_spi(CacheWriting) import ModelCache
@_spi(RecordWriting) import ModelRecord
import Synchronization
import TestSupport
import Testing

/// Evictions and arrivals beside readers, snapshots and observers. Made for the sanitizers too.
@Suite(.timeLimit(.minutes(15))) struct EvictionStressTests {
    private static let type = "M"
    private static let count = 300
    private static let rounds = 400

    private final class Play: Sendable {
        let cache = ModelCache(limits: CacheLimits(types: [type: ModelLimits(count: 50, idle: .seconds(1))]))
        let isOver = Atomic(false)
        let faults = Guarded<[String]>([])

        func fail(_ fault: String) { faults.withLock { $0.append(fault) } }
    }

    /// Counts up in models that leave and come back. Both fields of a model always say the same.
    private static func write(_ play: Play, _ random: inout SeededGenerator) {
        var newest: [String: CellRecord] = [:]
        for round in 1...rounds {
            var batch = TestBatch()
            for _ in 0..<20 {
                let id = "\(Int.random(in: 0..<count, using: &random))"
                batch.add(.merge, id, ["n": .int(Int64(round)), "t": .text("\(round)")], at: Stamp(round))
            }
            batch.merge(into: &newest)
            batch.withView { _ = play.cache.commit($0, in: play.cache.table(type)) }
            play.cache.enforceLimits(now: UInt64(round) * 10_000)
            let gone = (0..<5).map { _ in "\(Int.random(in: 0..<count, using: &random))" }
                .filter { play.cache.presence(of: type, $0) == .evicted }
            play.cache.beginArrivals(gone, type: type)
            play.cache.keepArriving(gone.compactMap { newest[$0] }, type: type)
            play.cache.commit { $0.endArrivals(gone, type: type) }
        }
    }

    private static func check(_ record: CellRecord, _ play: Play, _ seen: inout [String: Int64]) {
        let value = record["n"]?.intValue ?? -2
        if record["t"]?.textValue != "\(value)" { play.fail("\(record.id) is half: \(record)") }
        if value < seen[record.id] ?? 0 { play.fail("\(record.id) was \(seen[record.id] ?? 0) and is \(value)") }
        seen[record.id] = value
    }

    private static func read(_ play: Play, _ random: inout SeededGenerator) {
        var seen: [String: Int64] = [:]
        while !play.isOver.load(ordering: .acquiring) {
            for number in 0..<count {
                if let record = play.cache[type, "\(number)"] { check(record, play, &seen) }
                _ = play.cache.presence(of: type, "\(number)")
            }
        }
    }

    private static func walk(_ play: Play) {
        var seen: [String: Int64] = [:]
        while !play.isOver.load(ordering: .acquiring) {
            let snapshot = play.cache.snapshot()
            var held = 0
            snapshot.forEach(type: type) { record in
                held += 1
                check(record, play, &seen)
                return true
            }
            if held != snapshot.count(of: type) {
                play.fail("a snapshot counts \(snapshot.count(of: type)) of \(held)")
            }
        }
    }

    @Test func `whatever leaves and comes back beside it, a reader sees whole models that never go back`() {
        let play = Play()
        let queue = DispatchQueue(label: "observer")
        let observation = play.cache.observe(.model(type: Self.type, id: "7"), on: queue) { set in
            for change in set where change.new == nil && !change.isInitial { play.fail("an observed model has left") }
        }
        let others = DispatchGroup()
        for part in 0..<3 {
            DispatchQueue.global().async(group: others) {
                var random = SeededGenerator(seed: UInt64(part))
                if part == 0 { Self.walk(play) } else { Self.read(play, &random) }
            }
        }
        var random = SeededGenerator(seed: 77)
        Self.write(play, &random)
        play.isOver.store(true, ordering: .releasing)
        #expect(others.wait(timeout: .now() + 90) == .success)
        observation.cancel()
        #expect(play.faults.withLock { $0 }.prefix(5) == [])
        #expect(play.cache.evictionCounts.evictions > 1_000)
    }
}
