@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// What a sender says of another origin: it never makes that origin's batches count as here for good.
@Suite struct ClaimTests {
    private let topic = Topic.data(type: "User")

    @Test(arguments: [false, true])
    func `no sender's word on another origin keeps a batch of it from being merged`(isRelayed: Bool) throws {
        var field = try ClaimField(isRelayed: isRelayed)
        try field.write("before")
        field.lie = [field.of(field.origin, .max)]
        try field.connect()
        try field.pass(milliseconds: 1_000)
        for number in 0..<5 { try field.write("\(number)") }
        try field.pass(milliseconds: 1_000)
        for number in 0..<5 { #expect(field.holds("\(number)")) }
        let stream = try #require(field.stream)
        #expect(stream.applied == 6 && stream.missing == 0)
        #expect(stream.head == 6)
        // Where the origin is there its word decides, and nothing was believed in the first place.
        #expect(field.replica.counters[.contradictedHeads] == (isRelayed ? 1 : 0))
        #expect(field.notices.count { $0.kind == .contradictedHeads } == (isRelayed ? 1 : 0))
        let status = field.replica.senderStatus(now: field.now)
        #expect(status[1].contradictedHeads == (isRelayed ? 1 : 0))
        #expect(status[0].contradictedHeads == 0)
    }

    @Test func `what a false claim has hidden is mended once a batch has contradicted it`() throws {
        var field = try ClaimField(isRelayed: true)
        try field.write("before")
        field.lie = [field.of(field.origin, .max)]
        try field.connect()
        try field.write("lost", isLost: true)
        try field.write("comes")
        #expect(field.holds("comes") && !field.holds("lost"))
        try field.pass(milliseconds: 1_500)
        #expect(field.holds("lost"))
        let stream = try #require(field.stream)
        #expect(stream.applied == 3 && stream.missing == 0)
    }

    @Test func `a relay that was told a false clock of an origin is believed on what the origin has written`() throws {
        var mesh = try Mesh(relays: 2, origins: 1)
        try mesh.write(0, "User", "before", ["a": 1])
        try mesh.connect()
        for (index, lead) in [200_000, 0].enumerated() {
            mesh.relays[index].stamp = (mesh.now.wallMilliseconds + UInt64(lead)) << 16
        }
        mesh.pass(milliseconds: 1_000)
        try mesh.write(0, "User", "lost", ["a": 1], to: [0], via: [])
        mesh.pass(milliseconds: 2_000)
        #expect(mesh.replica.cache["User", "lost"] != nil)
    }

    @Test func `what a claim hides that nothing contradicts is taken from those who tell less for long`() throws {
        var field = try ClaimField(isRelayed: true)
        try field.write("before")
        field.lie = [field.of(field.origin, .max)]
        try field.connect()
        try field.pass(milliseconds: 1_000)
        try field.write("unseen", isLost: true)
        try field.pass(milliseconds: 10_000)
        #expect(!field.holds("unseen"))
        try field.pass(milliseconds: 20_000)
        #expect(field.holds("unseen"))
        // The same word is no reason to ask again.
        let asked = field.replica.counters[.snapshotsRequested]
        try field.pass(milliseconds: 120_000)
        #expect(field.replica.counters[.snapshotsRequested] == asked)
    }

    @Test func `what a relay has of an earlier start is taken also where the origin tells no such topic`() throws {
        var field = try ClaimField(isRelayed: false)
        try field.write("before")
        try field.connect()
        // The origin has started without its models, and has not written this type since.
        var former = try Wire.makeOrigin()
        _ = try former.write(.merge, type: "Former", id: "1", fields: EncodedFields(["a": 1]), now: field.now)
        former.flush()
        field.liarCopy = former.cache
        var told = field.of(field.origin, 0)
        told.heads = [TopicHead(topic: .data(type: "Former"), sequence: 0, digest: former.cache.digest(of: "Former"))]
        told.isRelayed = true
        field.lie = [told]
        try field.pass(milliseconds: 40_000, liarTells: told)
        #expect(field.replica.cache["Former", "1"]?["a"] == 1)
        #expect(field.replica.counters[.contradictedHeads] == 0)
    }

    @Test(arguments: [false, true])
    func `a later start that only another tells of does not make batches old for good`(isRelayed: Bool) throws {
        var field = try ClaimField(isRelayed: isRelayed)
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 1_000)
        let start = field.now.wallMilliseconds << 16
        field.hear(field.liar, field.of(field.origin, 3, incarnation: start))
        try field.pass(milliseconds: 1_000)
        try field.write("lost", isLost: true)
        try field.write("comes")
        try field.pass(milliseconds: 5_000)
        let stream = try #require(field.stream)
        #expect(stream.incarnation == field.origin.incarnation)
        #expect(stream.applied == 3 && stream.missing == 0)
        #expect(field.holds("lost") && field.holds("comes"))
    }

    @Test func `a later start that others contradict for long is given up without a batch`() throws {
        var field = try ClaimField.deceived()
        try field.pass(milliseconds: 40_000)
        #expect(field.stream?.incarnation == field.origin.incarnation)
        #expect(field.holds("lost"))
    }

    @Test func `word against word blames nobody the first time`() throws {
        var field = try ClaimField.deceived()
        try field.pass(milliseconds: 20_000)
        #expect(field.stream?.incarnation == field.origin.incarnation)
        #expect(field.replica.counters[.contradictedHeads] == 0)
        field.hear(field.liar, field.of(field.origin, 3, incarnation: field.now.wallMilliseconds << 16))
        try field.pass(milliseconds: 20_000)
        #expect(field.stream?.incarnation == field.origin.incarnation)
        #expect(field.replica.counters[.contradictedHeads] == 1)
    }

    @Test func `a single sender that tells an earlier start never takes a later one back that two others tell`() throws
    {
        var field = try ClaimField(isRelayed: true)
        try field.write("before")
        try field.connect()
        try field.connectSecondRelay()
        let earlier = field.of(field.origin, 1)
        try field.pass(milliseconds: 20_000, liarTells: earlier)
        // The origin starts anew and writes nothing: no batch can prove the start.
        try field.restart()
        var followed: Set<UInt64?> = []
        for _ in 0..<90 {
            try field.pass(milliseconds: 1_000, liarTells: earlier)
            followed.insert(field.stream?.incarnation)
        }
        #expect(followed == [field.origin.incarnation])
        #expect(field.replica.counters[.contradictedHeads] == 0)
    }

    @Test func `a sender that claims ever later starts is doubted like one that claims a single one`() throws {
        var field = try ClaimField.deceived()
        var followed: [UInt64?] = []
        for _ in 0..<3 {
            try field.pass(milliseconds: 8_000)
            followed.append(field.stream?.incarnation)
            field.hear(field.liar, field.of(field.origin, 3, incarnation: field.now.wallMilliseconds << 16))
        }
        #expect(followed.contains(field.origin.incarnation))
        #expect(field.holds("lost"))
    }

    @Test func `what was deleted and forgotten while a claimed start was followed goes here as well`() throws {
        var field = try ClaimField(isRelayed: true, retention: .seconds(10))
        try field.write("stays")
        try field.write("goes")
        try field.connect()
        try field.pass(milliseconds: 1_000)
        field.hear(field.liar, field.of(field.origin, 3, incarnation: field.now.wallMilliseconds << 16))
        try field.write("goes", .delete, isLost: true)
        field.isReplayGone = true
        // The snapshots of the honest sender do not tell of the delete: it has been forgotten there.
        try field.pass(milliseconds: 40_000)
        #expect(field.stream?.incarnation == field.origin.incarnation)
        #expect(field.holds("stays") && !field.holds("goes"))
    }

    @Test func `what an origin had before a start that had to be taken back to is taken from others`() throws {
        var field = try ClaimField(isRelayed: true)
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 1_000)
        let claimed = (field.now.wallMilliseconds + 2_000) << 16
        field.lie = [field.of(field.origin, 3, incarnation: claimed)]
        field.hear(field.liar, field.of(field.origin, 3, incarnation: claimed))
        try field.write("lost", isLost: true)
        try field.pass(milliseconds: 1_500)
        // A later start than what was followed before the claim, and an earlier one than the claimed.
        try field.restart()
        try field.pass(milliseconds: 1_000, isHonestSilent: true)
        try field.write("after")
        try field.pass(milliseconds: 1_000, isHonestSilent: true)
        #expect(field.stream?.incarnation == field.origin.incarnation)
        #expect(field.holds("after") && field.holds("lost"))
    }

    @Test func `a later start is given up though its claimant tells an earlier one, too, that is over`() throws {
        var field = try ClaimField.deceived()
        try field.pass(milliseconds: 20_000, liarTells: field.of(field.origin, 5, incarnation: 1))
        #expect(field.stream?.incarnation == field.origin.incarnation)
        #expect(field.holds("lost"))
    }

    @Test func `the word of others on what an origin had before ends no wait while the origin is a sender`() throws {
        var field = try ClaimField(isRelayed: false)
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 1_000)
        // The origin is gone for a moment, and begins anew with what was lost on the way.
        try field.write("lost", isLost: true)
        field.replica.disconnected(field.honest, reason: "gone", now: field.now)
        try field.restart()
        field.lie = [field.of(field.origin, 0)]
        field.hear(field.liar, field.of(field.origin, 0))
        try field.exchange()
        field.replica.disconnected(field.liar, reason: "gone", now: field.now)
        field.replica.connected(field.liar, now: field.now)
        try field.exchange()
        #expect(field.stream?.incarnation == field.origin.incarnation)
        #expect(!field.replica.positions.contains { $0.origin == "origin" })
        field.replica.connected(field.honest, now: field.now)
        try field.exchange()
        #expect(field.holds("lost"))
        #expect(field.replica.positions.contains { $0.origin == "origin" })
    }

    @Test func `a head that its own teller's copy does not hold counts no longer`() throws {
        var field = try ClaimField(isRelayed: true)
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 1_000)
        field.lie = [field.of(field.origin, 0)]
        let asked = field.replica.counters[.snapshotsRequested]
        try field.pass(milliseconds: 60_000, liarTells: field.of(field.origin, 1 << 63))
        #expect(field.replica.counters[.contradictedHeads] >= 1)
        // Once after each pause of 10, 20 and 40 seconds, of two senders.
        #expect(field.replica.counters[.snapshotsRequested] - asked <= 12)
        let stream = try #require(field.stream)
        #expect(stream.head == 1 && stream.missing == 0)
        try field.write("after")
        #expect(field.holds("after"))
    }

    @Test func `what a job pushes is merged though another has claimed to hold all of it`() throws {
        let job = try Wire.makeOrigin(name: "job")
        let replica = Self.relay()
        let stream = StreamState(
            key: StreamKey(origin: "job", topic: topic), type: "User", incarnation: job.incarnation, now: 0)
        replica.streams.insert(stream)
        replica.cover(stream, through: .max, word: .heard, of: nil, now: Self.now)
        #expect(try Self.push(job, to: replica) == [.accepted])
        #expect(replica.cache["User", "1"] != nil)
    }

    @Test func `a push is never acknowledged unmerged, however old the writes that it brings again`() throws {
        let replica = Self.relay()
        let incarnation = Self.now.wallMilliseconds << 16
        var writer = BatchWriter()
        try writer.append(.merge, stamp: incarnation - (100 * 3_600_000 << 16), id: "1", fields: ["a": 1])
        let batch = writer.finish(origin: "job", incarnation: incarnation, sequence: 1)
        let stream = StreamState(
            key: StreamKey(origin: "job", topic: topic), type: "User", incarnation: incarnation, now: 0)
        replica.streams.insert(stream)
        replica.cover(stream, through: .max, word: .heard, of: nil, now: Self.now)
        let arrival = replica.receivePushed(topic: topic.bytes.span, payload: batch.span, now: Self.now)
        #expect(arrival == .accepted)
        #expect(replica.cache["User", "1"] != nil)
    }

    @Test func `a push of a start that is old, and that another says to hold, is a duplicate each time`() throws {
        let replica = Self.relay()
        let incarnation = (Self.now.wallMilliseconds - 20 * 3_600_000) << 16
        var writer = BatchWriter()
        try writer.append(.merge, stamp: incarnation + 1, id: "1", fields: ["a": 1])
        let batch = writer.finish(origin: "job", incarnation: incarnation, sequence: 1)
        let stream = StreamState(
            key: StreamKey(origin: "job", topic: topic), type: "User", incarnation: incarnation, now: 0)
        replica.streams.insert(stream)
        replica.cover(stream, through: 1, word: .heard, of: nil, now: Self.now)
        for _ in 0..<2 {
            let arrival = replica.receivePushed(topic: topic.bytes.span, payload: batch.span, now: Self.now)
            #expect(arrival == .duplicate)
        }
        #expect(replica.cache["User", "1"] == nil)
        #expect(replica.counters[.pushedBatches] == 0)
    }

    @Test func `a push of a start that is closed proves no later one that is only claimed`() throws {
        let replica = Self.relay()
        let liar = replica.addSender()
        let first = Self.now.wallMilliseconds << 16
        func batch(of incarnation: UInt64, _ sequence: UInt64) throws -> [UInt8] {
            var writer = BatchWriter()
            try writer.append(.merge, stamp: incarnation + sequence, id: "\(sequence)", fields: ["a": 1])
            return writer.finish(origin: "job", incarnation: incarnation, sequence: sequence)
        }
        func push(_ incarnation: UInt64, _ sequence: UInt64) throws -> PushArrival {
            let payload = try batch(of: incarnation, sequence)
            return replica.receivePushed(topic: topic.bytes.span, payload: payload.span, now: Self.now)
        }
        #expect(try push(first, 1) == .accepted)
        let later = first + (2_000 << 16)
        replica.learn(
            Heads(origin: "job", incarnation: later, stamp: later, heads: [TopicHead(topic: topic, sequence: .max)]),
            of: liar, now: Self.now)
        guard case .refused(.denied, _) = try push(first - (1_000 << 16), 1) else {
            Issue.record("a start that is closed goes on")
            return
        }
        #expect(try push(first, 2) == .accepted)
        #expect(replica.streamStatus(now: Self.now).first?.incarnation == first)
    }

    @Test func `a head that its teller takes back counts no longer`() throws {
        var field = try ClaimField(isRelayed: true)
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 1_000)
        field.hear(field.liar, field.of(field.origin, 1 << 63))
        #expect(field.stream?.head == 1 << 63)
        field.hear(field.liar, field.of(field.origin, 0))
        #expect(field.stream?.head == 1)
        try field.pass(milliseconds: 1_000)
        #expect(field.replica.state(of: field.honest) == .live)
    }

    @Test func `what came between two claims is not news again when both fall`() throws {
        let replica = Self.relay()
        let stream = StreamState(key: StreamKey(origin: "origin", topic: topic), type: "User", incarnation: 1, now: 0)
        replica.cover(stream, through: 1, word: .heard, of: nil, now: Self.now)
        #expect(stream.tracker.arrive(2) == .new)
        replica.cover(stream, through: 19, word: .heard, of: nil, now: Self.now)
        replica.cover(stream, through: 1, word: .own, of: nil, now: Self.now)
        #expect(stream.tracker.applied == 2 && stream.claims.isEmpty)
        #expect(stream.tracker.arrive(2) == .duplicate)
    }

    @Test func `a true claim stands when one that went further falls`() throws {
        var field = try ClaimField(isRelayed: true)
        for number in 0..<5 { try field.write("\(number)", isLost: true) }
        field.replica.connected(field.liar, now: field.now)
        field.lie = [field.of(field.origin, 80)]
        try field.exchange()
        field.replica.connected(field.honest, now: field.now)
        try field.exchange()
        let asked = field.replica.counters[.snapshotsRequested]
        try field.write("next")
        try field.pass(milliseconds: 1_000)
        #expect(field.stream?.applied == 6)
        #expect(field.replica.counters[.contradictedHeads] == 1)
        #expect(field.replica.counters[.snapshotsRequested] == asked)
    }

    @Test func `what a job pushes is merged though another has claimed that it has started anew`() throws {
        let job = try Wire.makeOrigin(name: "job")
        let replica = Self.relay()
        let liar = replica.addSender()
        let later = (Self.now.wallMilliseconds + 4_000) << 16
        let head = TopicHead(topic: topic, sequence: 9)
        let heads = Heads(origin: "job", incarnation: later, stamp: later, heads: [head])
        replica.learn(heads, of: liar, now: Self.now)
        #expect(try Self.push(job, to: replica) == [.accepted])
        #expect(replica.cache["User", "1"] != nil)
        let stream = try #require(replica.streamStatus(now: Self.now).first)
        #expect(stream.incarnation == job.incarnation && stream.applied == 1)
    }

    @Test func `who joins late behind a relay takes no batch twice for news and accuses nobody`() throws {
        var field = try ClaimField(isRelayed: true)
        for number in 0..<5 { try field.write("\(number)", isLost: true) }
        try field.connect()
        let batches = field.sent
        for sequence in UInt64(3)...5 {
            let payload = try #require(batches[sequence])
            field.replica.receiveStream(field.honest, topic: topic.bytes.span, payload: payload.span, now: field.now)
        }
        #expect(field.replica.counters[.unchangedUpdates] == 3)
        #expect(field.replica.counters[.contradictedHeads] == 0)
        let payload = try #require(batches[5])
        field.replica.receiveStream(field.honest, topic: topic.bytes.span, payload: payload.span, now: field.now)
        #expect(field.replica.counters[.duplicateBatches] == 1)
        #expect(field.stream?.applied == 5)
    }

    @Test func `a stored position that promises too much keeps no batch from being merged`() throws {
        var field = try ClaimField(isRelayed: true)
        let position = StreamPosition(
            origin: "origin", topic: topic, incarnation: field.origin.incarnation, applied: .max)
        field.replica.restore([position], now: field.now)
        try field.connect()
        try field.write("1")
        #expect(field.holds("1"))
        try field.pass(milliseconds: 1_000)
        #expect(field.stream?.applied == 1)
    }

    @Test func `a stored position stands though one has claimed something else each time`() throws {
        let replica = Self.relay()
        let liar = replica.addSender()
        let start = Self.now.wallMilliseconds << 16
        let position = StreamPosition(origin: "job", topic: topic, incarnation: start, applied: 4, isPushed: true)
        replica.restore([position], now: Self.now)
        let stream = try #require(replica.streams[StreamKey(origin: "job", topic: topic)])
        for through in [18, 3, 22, 6, 24, 9, 30] as [UInt64] {
            replica.cover(stream, through: through, word: .heard, of: liar, now: Self.now)
        }
        var writer = BatchWriter()
        try writer.append(.merge, stamp: start + 5, id: "1", fields: ["a": 1])
        let batch = writer.finish(origin: "job", incarnation: start, sequence: 5)
        let arrival = replica.receivePushed(topic: topic.bytes.span, payload: batch.span, now: Self.now)
        #expect(arrival == .accepted)
        // Else the job were told that its first four batches are lost.
        #expect(stream.tracker.applied == 5)
    }

    @Test func `no start that others alone have told is stored, also where they tell a later one`() throws {
        var field = try ClaimField(isRelayed: true)
        field.replica.connected(field.liar, now: field.now)
        try field.exchange()
        let first = field.now.wallMilliseconds << 16
        for incarnation in [first, first + (1 << 16)] {
            let told = field.of(field.origin, 0, incarnation: incarnation)
            field.lie = [told]
            try field.pass(milliseconds: 1_000, liarTells: told, isHonestSilent: true)
            #expect(field.stream?.incarnation == incarnation)
            #expect(field.replica.senderStatus(now: field.now)[1].state == .live)
            #expect(!field.replica.positions.contains { $0.origin == "origin" })
        }
    }

    @Test func `no store keeps what one of several senders has claimed just now`() throws {
        var field = try ClaimField(isRelayed: true)
        try field.write("before")
        field.lie = [field.of(field.origin, .max)]
        try field.connect()
        #expect(field.replica.positions.isEmpty)
        field = try ClaimField(isRelayed: true)
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 20_000)
        #expect(field.replica.positions.map(\.applied) == [1])
    }

    @Test func `an origin that is heard itself is told its own stamps back, not those that others tell of it`() throws {
        var field = try ClaimField(isRelayed: false)
        try field.write("1")
        try field.connect()
        try field.pass(milliseconds: 1_000)
        // While the origin is silent the word of others counts.
        try field.pass(milliseconds: 5_000, isHonestSilent: true)
        let ahead = (field.now.wallMilliseconds + 200_000) << 16
        field.hear(field.liar, field.of(field.origin, 1, stamp: ahead))
        try field.connect()
        var stamps: [Stamp] = []
        for step in 0..<300 {
            field.time += 5_000
            if step % 50 == 0 { field.tellHonest() }
            field.replica.tick(now: field.now)
            for case .request(field.honest, let payload) in field.replica.takeActions() {
                guard case .report(_, let report) = try ControlRequest(decoding: payload.span, limits: .default) else {
                    continue
                }
                stamps += report.applied.filter { $0.origin == "origin" }.map(\.stamp)
            }
        }
        #expect(!stamps.isEmpty && stamps.allSatisfy { $0 < ahead }, "\(stamps)")
    }

    // MARK: A relay

    private static let now = Moment(wallMilliseconds: 1_800_000_000_500, uptimeMicroseconds: 2_000_000)

    private static func relay() -> Replica {
        var configuration = ReplicaConfiguration(name: "relay", repairJitterMax: .zero)
        configuration.forwardsBatches = true
        return Replica(configuration: configuration, cache: ModelCache(), now: now, seed: 1)
    }

    /// Pushes one batch of the job.
    private static func push(_ job: consuming Origin, to relay: Replica) throws -> [PushArrival] {
        _ = try job.write(.merge, type: "User", id: "1", fields: EncodedFields(["a": 1]), now: now)
        job.flush()
        var arrivals: [PushArrival] = []
        for case .publish(let topic, let payload) in job.takeActions() where topic.type != nil {
            arrivals.append(relay.receivePushed(topic: topic.bytes.span, payload: payload.span, now: now))
        }
        return arrivals
    }
}
