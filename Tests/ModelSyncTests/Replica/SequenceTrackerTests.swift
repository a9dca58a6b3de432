import ModelRecord
import ModelSync
import TestSupport
import Testing

@Suite struct SequenceTrackerTests {
    private func arrive(_ tracker: inout SequenceTracker, _ sequence: UInt64, as wanted: SequenceTracker.Arrival) {
        let arrival = tracker.arrive(sequence)
        #expect(arrival == wanted)
    }

    @Test func `sequences in order leave nothing ahead and no hole`() {
        var tracker = SequenceTracker()
        for sequence in 1...100 as ClosedRange<UInt64> { arrive(&tracker, sequence, as: .new) }
        #expect(tracker.applied == 100)
        #expect(tracker.ahead.isEmpty)
        #expect(!tracker.hasHole)
    }

    @Test func `a sequence beyond the next one is a hole until the missing one arrives`() {
        var tracker = SequenceTracker()
        arrive(&tracker, 1, as: .new)
        arrive(&tracker, 3, as: .new)
        #expect(tracker.hasHole)
        #expect(tracker.missingCount == 1)
        #expect(tracker.applied == 1)
        arrive(&tracker, 2, as: .new)
        #expect(tracker.applied == 3)
        #expect(!tracker.hasHole)
    }

    @Test func `a head beyond the applied is a hole`() {
        var tracker = SequenceTracker()
        arrive(&tracker, 1, as: .new)
        tracker.learn(head: 4)
        #expect(tracker.missingCount == 3)
        tracker.learn(head: 2)
        #expect(tracker.head == 4)
    }

    @Test func `a snapshot covers what came before its head and keeps what came after`() {
        var tracker = SequenceTracker()
        for sequence in [501, 502, 505] as [UInt64] { arrive(&tracker, sequence, as: .new) }
        tracker.cover(through: 500)
        #expect(tracker.applied == 502)
        #expect(tracker.missingCount == 2)
        tracker.cover(through: 504)
        #expect(tracker.applied == 505)
        #expect(!tracker.hasHole)
    }

    @Test func `whatever the order, each sequence is new exactly once and a set tells the same`() {
        forEachSeed(2_000) { _, generator in
            var tracker = SequenceTracker()
            var seen: Set<UInt64> = []
            var covered: UInt64 = 0
            for _ in 0..<200 {
                if Int.random(in: 0..<20, using: &generator) == 0 {
                    let sequence = UInt64.random(in: 0...40, using: &generator)
                    tracker.cover(through: sequence)
                    covered = max(covered, sequence)
                } else {
                    let sequence = UInt64.random(in: 1...60, using: &generator)
                    let isNew = sequence > covered && seen.insert(sequence).inserted
                    // What a snapshot has covered contiguously counts as seen, too.
                    let arrival = tracker.arrive(sequence)
                    try #require((arrival == .new) == isNew)
                }
                var applied = covered
                while seen.contains(applied + 1) { applied += 1 }
                try #require(tracker.applied == applied)
                let last = max(applied, seen.max() ?? 0)
                let missing = last > applied ? (applied + 1...last).count { !seen.contains($0) } : 0
                try #require(tracker.missingCount == UInt64(missing))
            }
        }
    }
}
