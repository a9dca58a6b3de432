import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// The values that a replica is made of, each alone.
@Suite struct MachineTests {
    private let users = Topic.data(type: "User")
    private let orders = Topic.data(type: "Order")

    private func stream(_ origin: String, _ topic: Topic, _ type: String) -> StreamState {
        StreamState(key: StreamKey(origin: origin, topic: topic), type: type, incarnation: 1, now: 0)
    }

    private func now(_ microseconds: UInt64, wall: UInt64 = 1_000_000) -> Moment {
        Moment(wallMilliseconds: wall, uptimeMicroseconds: microseconds)
    }

    // MARK: Requests

    @Test func `a reply belongs to the sender that was asked with its number, until the request has ended`() {
        var requests = RequestLedger()
        let (asked, other) = (SenderID(index: 0), SenderID(index: 1))
        let rid = requests.begin(.audit("User"), at: asked)
        #expect(requests.purpose(of: rid, at: other) == nil)
        guard case .audit("User")? = requests.purpose(of: rid, at: asked) else {
            Issue.record("the request belongs to nobody")
            return
        }
        requests.end(rid)
        #expect(requests.purpose(of: rid, at: asked) == nil)
        #expect(!requests.contains(rid))
    }

    @Test func `no number of a request is given twice, and none is 0`() {
        var requests = RequestLedger()
        let stream = stream("a", users, "User")
        let rids = (0..<100).map { index in
            index.isMultiple(of: 2) ? requests.take() : requests.begin(.repair(stream), at: SenderID(index: 0))
        }
        #expect(Set(rids).count == 100)
        #expect(!rids.contains(0))
        #expect(requests.all.count { _ in true } == 50)
    }

    // MARK: Streams

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `streams are found by key, type and origin, and stand in one order, however they come and go`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = StreamTable()
        var followed: [StreamKey: StreamState] = [:]
        for _ in 0..<200 {
            let origin = "origin-\(Int.random(in: 0..<8, using: &generator))"
            if Int.random(in: 0..<10, using: &generator) == 0 {
                let removed = table.remove(streamsOf: [origin])
                #expect(Set(removed.map(\.key)) == Set(followed.keys.filter { $0.origin == origin }))
                followed = followed.filter { $0.key.origin != origin }
            } else {
                let isUser = Bool.random(using: &generator)
                let new = stream(origin, isUser ? users : orders, isUser ? "User" : "Order")
                guard followed[new.key] == nil else { continue }
                table.insert(new)
                followed[new.key] = new
            }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                let order = table.inOrder().map(\.key)
                #expect(order == followed.keys.sorted { $0.precedes($1) })
            }
            let wanted = StreamKey(origin: origin, topic: users)
            let found = table.find(wanted)
            #expect(found === followed[wanted])
            #expect(table[wanted] === followed[wanted])
            #expect(table.follows(origin) == followed.keys.contains { $0.origin == origin })
        }
        let fault = table.brokenInvariant()
        #expect(fault == nil)
        #expect(table.of(type: "User").count == followed.keys.count { $0.topic == users })
        #expect(table.of(origin: "origin-1").count == followed.keys.count { $0.origin == "origin-1" })
    }

    @Test func `a topic's bytes name the same topic each time, and others are refused`() throws {
        var names = TopicNames()
        for bytes in [users.bytes, orders.bytes, users.bytes, users.bytes] {
            let topic = try names.topic(bytes.span)
            #expect(topic == Topic(bytes: bytes))
        }
        #expect(names.count == 2)
        let bytes = Array("h/".utf8)
        #expect(throws: WireError.self) { _ = try names.topic(bytes.span) }
    }

    @Test func `no more topic names are remembered than there is room for`() throws {
        var names = TopicNames()
        for number in 0...TopicNames.countMax {
            _ = try names.topic(Topic.data(type: "T\(number)").bytes.span)
            #expect(names.count <= TopicNames.countMax)
        }
        #expect(names.count == 1)
    }

    // MARK: Origins

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `what is known of origins is counted as it changes and goes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var origins = OriginTable()
        for _ in 0..<300 {
            let origin = "origin-\(Int.random(in: 0..<8, using: &generator))"
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: origins.noteTransaction(of: origin)
            case 1: origins[origin].isToldRejected.toggle()
            case 2:
                let rest = [stream(origin, users, "User")][...]
                let start = StartUnderWay(incarnation: 2, sender: SenderID(index: 0), isClaim: false, rest: rest)
                origins[origin].startUnderWay = Bool.random(using: &generator) ? start : nil
            case 3: origins.forget([origin, "unknown"])
            case 4: origins[origin].latestStart = 7
            default: origins[origin].startUnderWay?.isWaiting = true
            }
            #expect(origins.brokenInvariant() == nil)
        }
        let names = origins.startsUnderWay.map(\.origin)
        #expect(names == names.sorted())
        origins.forget(Set((0..<8).map { "origin-\($0)" }))
        #expect(!origins.hasTransactions)
        #expect(!origins.isAnyStartUnderWay)
        #expect(origins["origin-1"].latestStart == nil)
    }

    // MARK: Clocks

    @Test func `stamps count by the wall clock: ahead, young, or older than deletes are remembered`() {
        let guardian = ClockGuard(
            ReplicaConfiguration(name: "r", clockLeadMax: .seconds(300), tombstoneRetention: .seconds(1000)))
        let wall: UInt64 = 10_000_000
        func stamp(_ milliseconds: UInt64) -> Stamp { milliseconds << 16 }
        let time = now(0, wall: wall)
        #expect(!guardian.isTooFarAhead(stamp(wall + 300_000), now: time))
        #expect(guardian.isTooFarAhead(stamp(wall + 300_001), now: time))
        #expect(ClockGuard.lead(of: stamp(wall + 5), time) == 5)
        #expect(ClockGuard.lead(of: stamp(wall - 5), time) == 0)
        #expect(guardian.isYoung(stamp(wall - 499_999), now: time))
        #expect(!guardian.isYoung(stamp(wall - 500_000), now: time))
        #expect(!guardian.isExpired(stamp(wall - 1_000_000), now: time))
        #expect(guardian.isExpired(stamp(wall - 1_000_001), now: time))
        // A clock that was never set is past nothing.
        #expect(!guardian.isExpired(stamp(0), now: now(0, wall: 5)))
    }

    @Test func `of clocks the log is told so many lines and no more, until the pause is over`() {
        var guardian = ClockGuard(ReplicaConfiguration(name: "r"))
        let told = (0..<100).count { _ in guardian.takeNotice(now: now(1)) }
        #expect(told == Replica.toldOriginCountMax)
        let isToldInThePause = guardian.takeNotice(now: now(ClockGuard.pauseMicroseconds))
        let isToldAfterwards = guardian.takeNotice(now: now(1 + ClockGuard.pauseMicroseconds))
        #expect((isToldInThePause, isToldAfterwards) == (false, true))
    }

    // MARK: Audits

    @Test func `a sender's digests are left alone after a look at many streams, and not after one at few`() {
        var audits = AuditTable()
        let (sender, other) = (SenderID(index: 0), SenderID(index: 1))
        audits.rest(sender, after: 1_000, now: 5)
        #expect(!audits.isResting(sender, now: 5))
        audits.rest(sender, after: 3_000, now: 5)
        #expect(audits.isResting(sender, now: 12_004))
        #expect(!audits.isResting(sender, now: 12_005))
        #expect(!audits.isResting(other, now: 6))
    }

    // MARK: Names

    @Test
    func `room is not made again at once where too few could make way, and names are not forgotten again at once`() {
        var naming = Naming()
        #expect(naming.mayMakeRoom(now: 0))
        naming.restFromMakingRoom(now: 5)
        #expect(!naming.mayMakeRoom(now: 1_000_004))
        #expect(naming.mayMakeRoom(now: 1_000_005))
        let turns = [7, 1_000_006, 1_000_007].map { naming.takeForgetting(now: $0) }
        #expect(turns == [true, false, true])
    }

    @Test func `a sweep takes its turn ten times a second`() {
        var sweep = TombstoneSweep()
        let turns = (0..<1000).count { sweep.takeTurn(now: now(UInt64($0) * 1000)) }
        #expect(turns == 10)
    }
}
