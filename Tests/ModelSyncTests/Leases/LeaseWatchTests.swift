import ModelWire
import Testing

@testable import ModelRecord
@testable import ModelSync

/// The watch over one origin's leases: what the words of senders and the passing of time do.
@Suite struct LeaseWatchTests {
    private static let heartbeat: UInt64 = 500_000

    private func heads(
        quiet: UInt64? = nil, distance: UInt64? = nil, since: Stamp? = 100, incarnation: UInt64 = 100, age: UInt64? = 0
    ) -> Heads {
        Heads(
            origin: "origin", incarnation: incarnation, stamp: 1_000, heads: [],
            isRelayed: quiet != nil || since == nil,
            ageMilliseconds: age, leasesSince: since, quietMilliseconds: quiet, leaseDistance: distance)
    }

    /// Lets seconds pass, with these contacts by sender.
    private func pass(
        _ seconds: Int, _ watch: inout LeaseWatch, origin: Int? = nil, _ contacts: [LeaseWatch.Contact]
    ) {
        for _ in 0..<seconds * 10 {
            watch.step(100_000, heartbeat: LeaseWatchTests.heartbeat, origin: origin) { _ in
                false
            } contact: {
                contacts[$0]
            }
        }
    }

    private func hear(
        _ heads: Heads, from sender: Int, isTrusted: Bool = true, _ watch: inout LeaseWatch
    ) {
        watch.hear(heads, from: sender, heartbeat: LeaseWatchTests.heartbeat, isTrusted: isTrusted)
    }

    private func isOver(_ watch: LeaseWatch, _ milliseconds: UInt64, stamp: Stamp = 200) -> Bool {
        let lease = Lease(milliseconds: milliseconds, version: Version(stamp: stamp, origin: "origin"))
        return watch.isOver(lease, isWithdrawn: false)
    }

    @Test func `time counts only while somebody would know`() {
        var watch = LeaseWatch()
        hear(heads(), from: 0, &watch)
        pass(60, &watch, origin: 0, [.none])
        #expect(watch.silent == 0 && watch.distance == nil && !isOver(watch, 1))
        pass(3, &watch, origin: 0, [.absent])
        #expect(watch.silent == 3_000_000 && watch.distance == 0)
        // The lease, and a heartbeat more.
        #expect(isOver(watch, 2_500) && !isOver(watch, 2_600))
        hear(heads(), from: 0, &watch)
        pass(1, &watch, origin: 0, [.heard])
        #expect(!isOver(watch, 2_000))
    }

    @Test func `the least silent word counts, and silence never grows faster than time`() {
        var watch = LeaseWatch()
        hear(heads(quiet: 60_000, distance: 0), from: 0, &watch)
        hear(heads(quiet: 0, distance: 0), from: 1, &watch)
        pass(1, &watch, [.heard, .heard])
        #expect(watch.silent == 1_000_000)
        // The one that knew better goes.
        pass(1, &watch, [.heard, .none])
        #expect(watch.silent == 2_000_000)
        // The first word of all is taken as it is.
        var late = LeaseWatch()
        hear(heads(quiet: 60_000, distance: 0), from: 0, &late)
        pass(1, &late, [.heard])
        #expect(late.silent == 61_000_000)
    }

    @Test func `a relay that does not know stops the time, and one far away knows nothing`() {
        var watch = LeaseWatch()
        hear(heads(quiet: 0, distance: 3), from: 0, &watch)
        pass(1, &watch, [.heard])
        #expect(watch.distance == 4 && watch.silent == 1_000_000)
        hear(heads(quiet: 1_000, distance: nil), from: 0, &watch)
        pass(60, &watch, [.heard])
        #expect(watch.distance == nil && watch.silent == 1_000_000)
        hear(heads(quiet: 1_000, distance: 15), from: 0, &watch)
        pass(1, &watch, [.heard])
        #expect(watch.distance == nil)
    }

    @Test func `relays that tell each other of one that is gone stop within seconds`() {
        var watches = [LeaseWatch(), LeaseWatch()]
        for index in 0..<2 { hear(heads(quiet: 0, distance: 0), from: 0, &watches[index]) }
        for _ in 0..<60 {
            for index in 0..<2 {
                let other = watches[1 - index]
                hear(heads(quiet: other.silent / 1000, distance: other.distance), from: 0, &watches[index])
                pass(1, &watches[index], [.heard])
            }
        }
        #expect(watches.allSatisfy { $0.distance == nil && $0.silent < 20_000_000 })
    }

    @Test func `who is not trusted makes an origin look alive, and never gone`() {
        var watch = LeaseWatch()
        hear(heads(quiet: 60_000, distance: 0), from: 0, isTrusted: false, &watch)
        pass(60, &watch, [.heard])
        #expect(watch.distance == nil)
        hear(heads(quiet: 0, distance: 0), from: 1, &watch)
        hear(heads(quiet: 0, distance: 0), from: 0, isTrusted: false, &watch)
        pass(1, &watch, [.heard, .heard])
        #expect(watch.silent <= 1_000_000 && watch.distance == 1)
    }

    @Test func `leases of an earlier run end by the word of the origin, else by the least of the others`() {
        var watch = LeaseWatch()
        for sender in 1...2 { hear(heads(quiet: 0, distance: 0, since: 100), from: sender, &watch) }
        pass(1, &watch, [.none, .heard, .heard])
        hear(heads(quiet: 0, distance: 0, since: 900), from: 1, &watch)
        pass(5, &watch, [.none, .heard, .heard])
        #expect(watch.heldSince == 100)
        hear(heads(since: 900), from: 0, &watch)
        pass(5, &watch, origin: 0, [.heard, .heard, .heard])
        #expect(watch.heldSince == 900)
        #expect(isOver(watch, 4_000, stamp: 200) && !isOver(watch, 10_000, stamp: 200))
        // A run that tells of no lease ends all before it.
        hear(heads(quiet: nil, distance: nil, since: nil, incarnation: 2_000), from: 0, &watch)
        pass(1, &watch, origin: 0, [.heard, .none, .none])
        #expect(watch.heldSince == 2_000)
    }

    @Test func `the time in which nothing was watched is no silence of an origin that leases later`() {
        var table = LeaseTable()
        _ = table.begin(at: 1_000_000)
        table.beginLook(at: 1_000_000, isForced: false)
        table.endLook(at: 1_000_000)
        #expect(table.nextStep == nil)
        table.watch("first")
        #expect(table.begin(at: 9_000_000) == 0 && table.begin(at: 9_100_000) == 100_000)
        table.watch("second")
        #expect(table.begin(at: 9_200_000) == 100_000)
    }
}
