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
        var requests = RequestLedger(seed: 1)
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
        var requests = RequestLedger(seed: 1)
        let stream = stream("a", users, "User")
        let rids = (0..<100).map { index in
            index.isMultiple(of: 2) ? requests.take() : requests.begin(.repair(stream), at: SenderID(index: 0))
        }
        #expect(Set(rids).count == 100)
        #expect(!rids.contains(0))
        #expect(requests.all.count { _ in true } == 50)
    }

    // MARK: Hand-shakes

    private func expectDue(
        _ due: HandShake.Due, of shake: inout HandShake, at time: UInt64,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = shake.review(at: time)
        #expect(found == due, sourceLocation: sourceLocation)
    }

    private func handShake(at step: HandShake.Step = .disconnected) -> HandShake {
        var shake = HandShake(timeoutMicroseconds: 1_000)
        shake.connect(ProtocolVersions(1...3))
        if step == .disconnected { return shake }
        shake.greet(at: 0)
        if step == .greeting { return shake }
        let welcome = shake.welcome(in: 3, ProtocolVersions(1...3))
        #expect(welcome == .goOn)
        shake.raiseBarrier(at: 0)
        if step == .barrier { return shake }
        let hasPassed = shake.passBarrier()
        #expect(hasPassed)
        shake.askForCopy(7, at: 0)
        if step == .snapshot(rid: 7) { return shake }
        shake.becomeLive(at: 0)
        return shake
    }

    @Test(arguments: [HandShake.Step.greeting, .barrier, .snapshot(rid: 7)])
    func `a step is repeated twice, each time after double the time, and then the connection is given up`(
        step: HandShake.Step
    ) {
        var shake = handShake(at: step)
        let again: HandShake.Due =
            switch step {
            case .greeting: .greet
            case .barrier: .raiseBarrier
            case .disconnected, .snapshot, .synced: .askAgain(rid: 7)
            }
        func send(_ time: UInt64) {
            switch step {
            case .greeting: shake.greet(at: time)
            case .barrier: shake.raiseBarrier(at: time)
            case .disconnected, .snapshot, .synced: shake.askForCopy(7, at: time)
            }
        }
        expectDue(.nothing, of: &shake, at: 999)
        expectDue(again, of: &shake, at: 1_000)
        send(1_000)
        expectDue(.nothing, of: &shake, at: 2_999)
        expectDue(again, of: &shake, at: 3_000)
        send(3_000)
        expectDue(.nothing, of: &shake, at: 6_999)
        expectDue(.giveUp, of: &shake, at: 7_000)
        shake.lose(at: 7_000)
        #expect(shake.step == .disconnected && !shake.isStale)
        expectDue(.nothing, of: &shake, at: .max)
    }

    @Test func `an answer counts only in the step that awaits it`() {
        for step in [HandShake.Step.disconnected, .barrier, .snapshot(rid: 7), .synced] {
            var shake = handShake(at: step)
            let welcome = shake.welcome(in: 3, ProtocolVersions(1...3))
            #expect(welcome == .ignored)
            let hasOther = shake.refuseVersion(ProtocolVersions(1...3))
            #expect(!hasOther)
            let hasPassed = shake.passBarrier()
            if step != .barrier { #expect(!hasPassed) }
            #expect(shake.step == step)
        }
    }

    @Test func `of versions the newest is asked for first, then each before it, and then the newest again`() {
        let versions = ProtocolVersions(1...3)
        var shake = handShake(at: .greeting)
        #expect(shake.version == 3)
        for (hasOther, version) in [(true, 2), (true, 1), (false, 3)] as [(Bool, UInt64)] {
            let isAskedAgain = shake.refuseVersion(versions)
            #expect(isAskedAgain == hasOther && shake.version == version)
        }
        let newer = shake.welcome(in: 4, versions)
        #expect(newer == .otherVersion)
        let welcome = shake.welcome(in: 2, versions)
        #expect(welcome == .goOn && shake.version == 2)
    }

    @Test func `a sender that was live is stale from the loss of contact until it is live again`() {
        var shake = handShake(at: .synced)
        #expect(!shake.isStale)
        shake.lose(at: 1)
        #expect(shake.isStale && shake.wasLive && !shake.isWelcomed)
        shake.connect(.current)
        shake.greet(at: 2)
        #expect(shake.isStale)
        shake.becomeLive(at: 3)
        #expect(!shake.isStale && shake.isSynced)
    }

    @Test func `a copy that goes on coming is waited for, and one that cannot be taken yet is asked for after a pause`()
    {
        var shake = handShake(at: .snapshot(rid: 7))
        shake.goOn(at: 900)
        expectDue(.nothing, of: &shake, at: 8_899)
        expectDue(.askAgain(rid: 7), of: &shake, at: 8_900)
        shake.pause(50_000, rid: 8, at: 9_000)
        expectDue(.nothing, of: &shake, at: 58_999)
        expectDue(.askAgain(rid: 8), of: &shake, at: 59_000)
    }

    // MARK: Beginnings

    private func expectAction(
        _ action: StreamBeginning.Action, of beginning: inout StreamBeginning, at time: UInt64,
        _ senders: StreamBeginning.Senders,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = beginning.review(at: time, senders)
        #expect(found == action, sourceLocation: sourceLocation)
    }

    @Test func `a beginning is awaited of the origin alone where that is a sender, until it is live or time is over`() {
        var beginning = StreamBeginning()
        var senders = StreamBeginning.Senders(canBeAsked: true, includeOrigin: true)
        expectAction(.wait, of: &beginning, at: 0, senders)
        beginning.begin(at: 1_000)
        expectAction(.wait, of: &beginning, at: 29_000_000, senders)
        let byOthers = beginning.arrive(by: .heard, senders)
        let byIgnored = beginning.arrive(by: .ignored, senders)
        #expect(!byOthers && !byIgnored)
        senders.isOriginLive = true
        expectAction(.ask, of: &beginning, at: 29_000_000, senders)
        #expect(beginning.isAwaited)
        let isEnded = beginning.arrive(by: .own, senders)
        #expect(isEnded && !beginning.isAwaited)
        beginning.begin(at: 1_000)
        senders.isOriginLive = false
        expectAction(.ask, of: &beginning, at: 30_001_000, senders)
        #expect(!beginning.isAwaited, "the origin may be gone")
    }

    @Test
    func `a beginning of an origin that is no sender is asked of others after two seconds, and ends by their word`() {
        var beginning = StreamBeginning()
        beginning.begin(at: 1_000)
        expectAction(.wait, of: &beginning, at: 2_000_999, StreamBeginning.Senders(canBeAsked: true))
        expectAction(.ask, of: &beginning, at: 2_001_000, StreamBeginning.Senders(canBeAsked: true))
        let byIgnored = beginning.arrive(by: .ignored, StreamBeginning.Senders(canBeAsked: true))
        #expect(!byIgnored)
        let byOthers = beginning.arrive(by: .heard, StreamBeginning.Senders(canBeAsked: true))
        #expect(byOthers)
        let isAgain = beginning.arrive(by: .heard, StreamBeginning.Senders(canBeAsked: true))
        #expect(!isAgain, "it has come already")
    }

    @Test func `the wait for a beginning lasts as long as the only snapshot that can bring it`() {
        var beginning = StreamBeginning()
        beginning.begin(at: 0)
        expectAction(.wait, of: &beginning, at: 60_000_000, StreamBeginning.Senders(areJoining: true))
        #expect(beginning.isAwaited)
        expectAction(.wait, of: &beginning, at: 60_000_000, StreamBeginning.Senders())
        #expect(!beginning.isAwaited)
    }

    // MARK: Repairs

    private func repair(_ finding: Finding) -> Repair {
        Repair(rung: finding.isMissingSequences ? .replay : .snapshot, finding: finding, foundAt: 0, dueAt: 0)
    }

    @Test func `of the senders that can be asked each is, before a repair rests or goes over to a snapshot`() {
        let senders = (0..<3).map { SenderID(index: $0) }
        var repair = repair(.batchBeyondNext)
        for sender in senders.dropLast() {
            repair.request = Repair.Request(rid: 1, sender: sender)
            let next = repair.fail(.refused, askable: senders, at: 1)
            #expect(next == .ask && repair.request == nil && repair.attempts == 0)
        }
        repair.request = Repair.Request(rid: 1, sender: senders[2])
        let last = repair.fail(.refused, askable: senders, at: 1)
        #expect(last == .fallBack && repair.failed.isEmpty)
        repair.rung = .snapshot
        for sender in senders {
            let next = repair.lack(at: sender, askable: senders, at: 1)
            #expect(next == (sender == senders[2] ? .pause : .ask))
        }
        #expect(repair.isInVain && repair.rung == .replay && repair.attempts == 1)
    }

    @Test func `a sender that may not be asked now keeps no other from being asked, and has its turn again`() {
        let (liar, origin) = (SenderID(index: 0), SenderID(index: 1))
        var repair = repair(.batchBeyondNext)
        let candidates = [liar, origin].map { Repair.Candidate(sender: $0, head: 9, isOrigin: false) }
        func choice() -> SenderID? { repair.choose(among: candidates, last: liar, head: 9, isOriginLive: true) }
        #expect(choice() == liar)
        let isOtherLeft = repair.passOver(liar, askable: [liar, origin])
        #expect(isOtherLeft && choice() == origin)
        let isAnyLeft = repair.passOver(origin, askable: [liar, origin])
        #expect(!isAnyLeft && choice() == liar && repair.attempts == 0 && !repair.isInVain)
        // All that can be asked have been, where the last one may not be.
        _ = repair.lack(at: origin, askable: [liar, origin], at: 1)
        let isLeft = repair.passOver(liar, askable: [liar, origin])
        #expect(!isLeft && repair.isInVain && repair.failed.isEmpty)
    }

    @Test func `a sender that is busy is left alone for a while, and one that was silent has been waited for already`()
    {
        let only = SenderID(index: 0)
        for (failure, expected) in [(Repair.Failure.busy, Repair.Next.pause), (.silence, .ask), (.lost, .ask)] {
            var repair = repair(.digest)
            repair.request = Repair.Request(rid: 1, sender: only)
            let next = repair.fail(failure, askable: [only], at: 1)
            #expect(next == expected && repair.attempts == 1)
        }
    }

    @Test func `a repair asks who can help: the witness, the origin for a copy, and else one whose head goes so far`() {
        let (behind, ahead, origin) = (SenderID(index: 0), SenderID(index: 1), SenderID(index: 2))
        let candidates = [
            Repair.Candidate(sender: behind, head: 3, isOrigin: false),
            Repair.Candidate(sender: ahead, head: 9, isOrigin: false),
            Repair.Candidate(sender: origin, head: 0, isOrigin: true),
        ]
        func choice(_ repair: Repair, last: SenderID? = nil, isOriginLive: Bool = true) -> SenderID? {
            repair.choose(among: candidates, last: last, head: 9, isOriginLive: isOriginLive)
        }
        #expect(choice(repair(.batchBeyondNext), last: behind) == ahead)
        #expect(choice(repair(.digest)) == origin)
        #expect(choice(repair(.digest), isOriginLive: false) == ahead)
        var doubting = repair(.claim)
        doubting.witness = behind
        #expect(choice(doubting) == behind)
        doubting.failed = [behind, origin]
        #expect(choice(doubting) == ahead)
        doubting.failed = [behind, ahead, origin]
        #expect(choice(doubting) == behind, "when all have failed it begins anew")
        #expect(repair(.digest).choose(among: [], last: ahead, head: 0, isOriginLive: true) == nil)
    }

    // MARK: Audits

    @Test func `an audit fetches what differs, compares once more, and gives up only what still must not differ`() {
        func found(_ different: [Int: Audit.Comparability] = [:], hasUnknown: Bool = false) -> Audit.Found {
            Audit.Found(different: different, hasUnknown: hasUnknown)
        }
        var audit = Audit(sender: SenderID(index: 0), dueAt: 0, foundAt: 0, told: [:], ownDigest: 0)
        #expect(audit.verdict(on: found()) == .equal)
        #expect(audit.verdict(on: found(hasUnknown: true)) == .missed)
        #expect(audit.verdict(on: found([3: .atLeast], hasUnknown: true)) == .different)
        audit.step = .verifying
        #expect(audit.verdict(on: found()) == .mended)
        #expect(audit.verdict(on: found(hasUnknown: true)) == .missed)
        #expect(audit.verdict(on: found([3: .atLeast])) == .mended, "this copy may hold more")
        #expect(audit.verdict(on: found([9: .equal, 4: .equal, 3: .atLeast])) == .irreparable([4, 9]))
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

    // MARK: Claims

    @Test func `a start that is taken back once is forgiven, and a second within ten minutes is not`() {
        let minute: UInt64 = 60_000_000
        var credit = Credit()
        let isToldOften = [0, 9 * minute, 20 * minute, 29 * minute].map { credit.noteLostStart(at: $0) }
        #expect(isToldOften == [false, true, false, true])
        #expect(!credit.isDistrusted(at: 30 * minute) && credit.contradictionCount == 0)
    }

    // MARK: Names

    @Test
    func `room is not made again at once where too few could make way, and names are not forgotten again at once`() {
        var nameLimits = NameLimits()
        #expect(nameLimits.mayMakeRoom(now: 0))
        nameLimits.restFromMakingRoom(now: 5)
        #expect(!nameLimits.mayMakeRoom(now: 1_000_004))
        #expect(nameLimits.mayMakeRoom(now: 1_000_005))
        let turns = [7, 1_000_006, 1_000_007].map { nameLimits.takeForgetting(now: $0) }
        #expect(turns == [true, false, true])
    }

    @Test func `a sweep takes its turn ten times a second`() {
        var sweep = TombstoneSweep(now: now(0))
        let turns = (0..<1000).count { sweep.takeTurn(retention: .seconds(8), now: now(UInt64($0) * 1000)) }
        #expect(turns == 10)
    }
}
