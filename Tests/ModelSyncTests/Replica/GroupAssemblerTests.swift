import ModelRecord
import ModelWire
import Testing

@testable import ModelSync

/// The parts of transactions that wait, alone.
@Suite struct GroupAssemblerTests {
    private let topics = (0..<4).map { Topic.data(type: "T\($0)") }

    private func part(_ topic: Topic, _ sequence: UInt64, byteCount: Int = 10) -> GroupAssembler.Part {
        GroupAssembler.Part(
            topic: topic, sequence: sequence, payload: Array(repeating: 0, count: byteCount), isForwarded: true)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the first part that is held of a stream is told, however parts come and go`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var groups = GroupAssembler()
        var held: [Stamp: (incarnation: UInt64, parts: [Topic: UInt64])] = [:]
        for step in 0..<600 as Range<UInt64> {
            let stamp = Stamp.random(in: 1...60, using: &generator)
            let topic = topics[Int.random(in: 0..<3, using: &generator)]
            let incarnation = held[stamp]?.incarnation ?? UInt64.random(in: 1...2, using: &generator)
            let parts = groups.add(
                part(topic, step), origin: "o", incarnation: incarnation, stamp: stamp, wanted: Array(topics.prefix(3)),
                now: step, patience: 100)
            if held[stamp]?.parts[topic] == nil { held[stamp, default: (incarnation, [:])].parts[topic] = step }
            if parts != nil { held[stamp] = nil }
            if step % 40 == 39 {
                let expired = groups.expired(
                    now: step, patience: 50, rest: { $0.stamp % 2 == 0 ? .givenUp : .awaited }, isMissing: Self.nothing)
                for (parts, _) in expired {
                    for (stamp, group) in held where parts.contains(where: { group.parts[$0.topic] == $0.sequence }) {
                        held[stamp] = nil
                    }
                }
            }
            for topic in topics {
                for incarnation in [1, 2] as [UInt64] {
                    let key = StreamKey(origin: "o", topic: topic)
                    let first = held.values.filter { $0.incarnation == incarnation }.compactMap { $0.parts[topic] }
                        .min()
                    #expect(groups.firstHeld(key, of: incarnation) == first, "seed \(seed), step \(step)")
                    let isEarlier = held.values.contains { $0.incarnation < incarnation && $0.parts[topic] != nil }
                    #expect(groups.holdsEarlier(key, than: incarnation) == isEarlier)
                }
            }
            #expect(groups.brokenInvariant() == nil)
        }
    }

    /// Of no topic anything is known to be missing.
    private static let nothing: @Sendable (String, Topic) -> Bool = { _, _ in false }

    @Test func `a part that was merged alone, as somebody claimed it, is not waited for, before it and after it`() {
        var groups = GroupAssembler()
        func add(_ topic: Topic, _ stamp: Stamp) -> [GroupAssembler.Part]? {
            groups.add(
                part(topic, stamp), origin: "o", incarnation: 1, stamp: stamp, wanted: Array(topics.prefix(3)), now: 0,
                patience: 100)
        }
        groups.noteMergedAlone(topics[0], origin: "o", stamp: 1)
        #expect(add(topics[1], 1) == nil)
        #expect(add(topics[2], 1)?.map(\.topic) == [topics[1], topics[2]])
        // The first is held when the claimed one comes.
        #expect(add(topics[1], 2) == nil)
        groups.noteMergedAlone(topics[0], origin: "o", stamp: 2)
        #expect(groups.awaitsOnly(topics[2], "o", 2) && add(topics[2], 2)?.count == 2)
        // Other transactions, and other origins, wait as ever.
        #expect(add(topics[1], 3) == nil && add(topics[2], 3) == nil && groups.awaitsOnly(topics[0], "o", 3))
        // Those that came last are remembered, whoever claims however many.
        for stamp in 10..<10_000 as Range<Stamp> { groups.noteMergedAlone(topics[0], origin: "o", stamp: stamp) }
        #expect(add(topics[1], 9_999) == nil && add(topics[2], 9_999)?.count == 2)
        #expect(add(topics[1], 10) == nil && add(topics[2], 10) == nil)
        #expect(groups.brokenInvariant() == nil)
    }

    @Test func `the names of the topics that a part waits for count as what is held`() {
        var groups = GroupAssembler()
        let many = (0..<2_000).map { Topic.data(type: "Type\($0)") }
        for stamp in 1...1_000 as ClosedRange<Stamp> {
            _ = groups.add(
                part(many[0], stamp), origin: "o", incarnation: 1, stamp: stamp, wanted: many, now: 0, patience: 1_000)
        }
        let expired = groups.expired(now: 1, patience: 1_000, rest: { _ in .awaited }, isMissing: Self.nothing)
        #expect(groups.partCount < 500 && groups.partCount + expired.count == 1_000)
        // The oldest go first.
        #expect(groups.firstHeld(StreamKey(origin: "o", topic: many[0]), of: 1) == UInt64(expired.count) + 1)
    }

    @Test func `a snapshot that may have brought the rest did not, where more of that topic is known to be missing`() {
        for missing in [nil, topics[0], topics[1]] {
            var groups = GroupAssembler()
            _ = groups.add(
                part(topics[0], 1), origin: "o", incarnation: 1, stamp: 1, wanted: Array(topics.prefix(2)), now: 0,
                patience: 10)
            #expect(groups.covered(topics[1], origin: "o", through: nil).isEmpty)
            let expired = groups.expired(
                now: 10, patience: 10, rest: { _ in .givenUp }, isMissing: { $0 == "o" && $1 == missing })
            #expect(expired.map(\.isWhole) == [missing != topics[1]])
        }
    }

    @Test func `transactions whose time is up at once are looked at from the oldest on, the same in each run`() {
        var groups = GroupAssembler()
        for stamp in (1...300 as ClosedRange<Stamp>).shuffled() {
            _ = groups.add(
                part(topics[0], stamp), origin: "o", incarnation: 1, stamp: stamp, wanted: topics, now: 0, patience: 10)
        }
        var stamps: [Stamp] = []
        let rest: (GroupAssembler.Held) -> GroupAssembler.Rest = { held in
            stamps.append(held.stamp)
            return .awaited
        }
        _ = groups.expired(now: 10, patience: 10, rest: rest, isMissing: Self.nothing)
        #expect(stamps == Array(1...300))
    }

    @Test func `of a flood of parts whose time is up one tick looks at some`() {
        var groups = GroupAssembler()
        for stamp in 1...10_000 as ClosedRange<Stamp> {
            _ = groups.add(
                part(topics[0], stamp), origin: "o", incarnation: 1, stamp: stamp, wanted: topics, now: 0, patience: 10)
        }
        var (looks, ticks) = (0, 0)
        while !groups.isEmpty {
            var looksNow = 0
            let rest: (GroupAssembler.Held) -> GroupAssembler.Rest = { _ in
                looksNow += 1
                return .givenUp
            }
            _ = groups.expired(now: 10, patience: 10, rest: rest, isMissing: Self.nothing)
            #expect((1...1_024).contains(looksNow))
            (looks, ticks) = (looks + looksNow, ticks + 1)
        }
        #expect(looks == 10_000 && ticks == 10)
    }

    @Test func `parts from before a long absence are let go unmerged, but for those that are pushed`() {
        var groups = GroupAssembler()
        let (one, other) = (Topic.data(type: "User"), Topic.data(type: "Team"))
        for (origin, time) in [("early", UInt64(10)), ("job", 10), ("late", 20)] {
            let part = GroupAssembler.Part(topic: one, sequence: 1, payload: [1], isForwarded: true)
            _ = groups.add(
                part, origin: origin, incarnation: 1, stamp: 1, wanted: [one, other], now: time, patience: 1_000)
        }
        #expect(groups.drop(heldSinceBefore: 20) { $0 == "job" } == 1)
        #expect(["early", "job", "late"].filter { groups.holds($0, 1) } == ["job", "late"])
        #expect(groups.firstHeld(StreamKey(origin: "early", topic: one), of: 1) == nil)
        #expect(groups.brokenInvariant() == nil)
    }
}
