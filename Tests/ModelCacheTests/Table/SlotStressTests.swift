import Dispatch
@_spi(CacheWriting) import ModelCache
import ModelRecord
import Synchronization
import TestSupport
import Testing

/// Point reads while slots are exchanged, moved to larger arrays, and taken out. Made for the sanitizers too.
@Suite(.timeLimit(.minutes(15))) struct SlotStressTests {
    private static let type = "M"
    private static let lasting = 48
    private static let rounds = 400
    private static let guests = 100

    private final class Play: Sendable {
        let cache = ModelCache()
        let isOver = Atomic(false)
        let faults = Guarded<[String]>([])
        let reads = Atomic(0)

        func fail(_ fault: String) { faults.withLock { $0.append(fault) } }
    }

    private static func id(_ number: Int) -> String { "lasting-\(number)" }

    /// Counts up in models that last, while others come by the hundred and go again, most of them.
    private static func write(_ play: Play, _ random: inout SeededGenerator) {
        for round in 1...rounds {
            var batch = TestBatch()
            for number in 0..<lasting where (number + round) % 3 == 0 {
                batch.add(.merge, id(number), ["n": .int(Int64(round)), "t": .text("\(round)")], at: Stamp(round + 1))
            }
            for guest in 0..<guests { batch.add(.merge, "guest-\(round)-\(guest)", ["n": 1], at: Stamp(round + 1)) }
            play.cache.commit { commit in
                commit.apply(batch, type)
                for guest in 0..<guests / 2 where round > 1 {
                    commit.overwrite(type: type, id: "guest-\(round - 1)-\(guest)", with: nil)
                }
            }
        }
    }

    private static func read(_ play: Play, _ random: inout SeededGenerator) {
        var seen = [Int64](repeating: -1, count: lasting)
        var count = 0
        while !play.isOver.load(ordering: .acquiring) {
            for number in (0..<lasting).shuffled(using: &random) {
                let id = id(number)
                // What only asks for memory looks at slots too.
                let found = play.cache.fetching(type, idHash: Fingerprint.fnv(id)) { play.cache[type, id] }
                guard let record = found else {
                    play.fail("\(id) was missed")
                    continue
                }
                let value = record["n"]?.intValue ?? -2
                if record.id != id { play.fail("\(id) is \(record.id)") }
                if value < seen[number] { play.fail("\(id) was \(seen[number]) and is \(value)") }
                if value > 0, record["t"]?.textValue != "\(value)" { play.fail("\(id) is half written") }
                seen[number] = value
                count += 1
            }
            if play.cache[type, "nobody"] != nil { play.fail("nobody is there") }
        }
        play.reads.add(count, ordering: .relaxed)
    }

    @Test func `what lasts is found, newest or newer than before, whatever moves beside it`() {
        let play = Play()
        var first = TestBatch()
        for number in 0..<Self.lasting { first.add(.merge, Self.id(number), ["n": 0], at: 1) }
        play.cache.commit { $0.apply(first, Self.type) }
        let readers = DispatchGroup()
        for reader in 0..<3 {
            DispatchQueue.global().async(group: readers) {
                var random = SeededGenerator(seed: UInt64(reader))
                Self.read(play, &random)
            }
        }
        var random = SeededGenerator(seed: 77)
        Self.write(play, &random)
        play.isOver.store(true, ordering: .releasing)
        #expect(readers.wait(timeout: .now() + 90) == .success)
        #expect(play.faults.withLock { $0 }.prefix(5) == [])
        #expect(play.cache.count(of: Self.type) == Self.lasting + Self.guests * (Self.rounds + 1) / 2)
        print("SlotStressTests: \(play.reads.load(ordering: .relaxed)) reads")
    }
}
