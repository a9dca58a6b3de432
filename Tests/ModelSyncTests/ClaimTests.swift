import ModelCache
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// What a sender says of another origin: it never makes that origin's batches count as here for good.
@Suite struct ClaimTests {
    private let topic = Topic.data(type: "User")

    /// A publisher `origin`, a liar, and a replica that listens to both, unless the publisher is behind a relay.
    private struct Field {
        var origin: Origin
        let replica: Replica
        let honest: SenderID
        let liar: SenderID
        var time: UInt64 = 0
        var notices: [Notice] = []
        /// What the liar answers to a snapshot, and whether the honest sender is a relay.
        var lie: [Heads] = []
        /// What its copy holds of another type.
        var formerRecords: [Record] = []
        let isRelayed: Bool
        var sent: [UInt64: [UInt8]] = [:]
        /// The honest sender has no batches any more.
        var isReplayGone = false

        init(isRelayed: Bool, retention: Duration = .seconds(24 * 3600)) throws {
            self.isRelayed = isRelayed
            origin = try Wire.makeOrigin()
            replica = Replica(
                configuration: ReplicaConfiguration(
                    name: "replica", repairJitterMax: .zero, tombstoneRetention: retention),
                cache: ModelCache(), seed: 1)
            honest = replica.addSender()
            liar = replica.addSender()
        }

        var now: Moment {
            Moment(wallMilliseconds: 1_800_000_000_000 + time / 1000, uptimeMicroseconds: 1_000_000 + time)
        }

        func of(_ origin: Origin, _ head: UInt64, stamp: Stamp? = nil, incarnation: UInt64? = nil) -> Heads {
            Heads(
                origin: "origin", incarnation: incarnation ?? origin.incarnation,
                stamp: stamp ?? now.wallMilliseconds << 16,
                heads: [Head(topic: .data(type: "User"), sequence: head)], isRelayed: false)
        }

        mutating func hear(_ sender: SenderID, _ heads: Heads) {
            let name = Topic.heads(origin: heads.origin).bytes
            replica.receiveStream(sender, topic: name.span, payload: heads.encode().span, now: now)
        }

        mutating func tellHonest() {
            var heads = of(origin, UInt64(sent.count))
            heads.isRelayed = isRelayed
            hear(honest, heads)
        }

        /// Answers whatever the replica asks.
        mutating func exchange() throws {
            while replica.hasActions {
                for action in replica.takeActions() {
                    switch action {
                    case .subscribe(let sender, let prefix) where prefix.first == 0xFF:
                        let own = Heads(
                            origin: sender == liar ? "liar" : isRelayed ? "relay" : "origin", incarnation: 1,
                            stamp: 1, heads: [])
                        replica.receiveStream(sender, topic: prefix.span, payload: own.encode().span, now: now)
                    case .request(let sender, let payload):
                        let request = try ControlRequest(decoding: payload.span, limits: .default)
                        for reply in answers(sender, request) {
                            replica.receiveControl(sender, reply.encode().span, now: now)
                        }
                    case .notice(let notice): notices.append(notice)
                    default: break
                    }
                }
            }
        }

        private func answers(_ sender: SenderID, _ request: ControlRequest) -> [ControlReply] {
            let name = sender == liar ? "liar" : isRelayed ? "relay" : "origin"
            var truth = of(origin, UInt64(sent.count))
            truth.isRelayed = isRelayed
            switch request {
            case .hello(let rid, _, _, _):
                return [
                    .welcome(
                        rid: rid, version: 1, name: name, streamEndpoint: "memory", heartbeatMilliseconds: 500,
                        frameLimit: 1 << 20, heads: [])
                ]
            case .snapshot(let rid, _, _):
                if sender == liar {
                    return [
                        .records(rid: rid, type: "Former", records: formerRecords), .complete(rid: rid, heads: lie),
                    ]
                }
                let records = Array(origin.cache.snapshot().records(of: "User"))
                return [
                    .records(rid: rid, type: "User", records: records), .complete(rid: rid, heads: [truth]),
                ]
            case .replay(let rid, _, _, let topic, let first, let last):
                guard sender == honest, !isReplayGone, last <= UInt64(sent.count) else {
                    return [.gone(rid: rid, oldest: 0)]
                }
                return (first...last).map { .frame(rid: rid, topic: topic, batch: sent[$0] ?? []) }
                    + [.complete(rid: rid, heads: [])]
            default: return []
            }
        }

        mutating func connect() throws {
            replica.connected(honest, now: now)
            try exchange()
            replica.connected(liar, now: now)
            try exchange()
            time += 10_000
        }

        /// Writes at the publisher; the batch comes by the honest sender unless it is lost.
        mutating func write(_ id: String, _ operation: Write = .merge, isLost: Bool = false) throws {
            time += 1_000
            let fields = operation == .delete ? Fields() : ["a": 1]
            _ = try origin.write(operation, type: "User", id: id, fields: EncodedFields(fields), now: now)
            origin.flush()
            for case .publish(let topic, let payload) in origin.takeActions() where topic.type != nil {
                sent[UInt64(sent.count + 1)] = payload
                guard !isLost else { continue }
                replica.receiveStream(honest, topic: topic.bytes.span, payload: payload.span, now: now)
            }
            try exchange()
        }

        /// Time in which the honest sender and, where it has anything to say, the liar tell heads.
        mutating func pass(milliseconds: UInt64, liarTells heads: Heads? = nil) throws {
            let end = time + milliseconds * 1000
            while time < end {
                time += 5_000
                if time % 500_000 < 5_000 {
                    tellHonest()
                    hear(liar, Heads(origin: "liar", incarnation: 1, stamp: now.wallMilliseconds << 16, heads: []))
                    if let heads { hear(liar, heads) }
                }
                replica.tick(now: now)
                try exchange()
            }
        }

        var stream: StreamStatus? { replica.streamStatus(now: now).first { $0.origin == "origin" } }
        func holds(_ id: String) -> Bool { replica.cache["User", id] != nil }
    }

    @Test(arguments: [false, true])
    func `no sender's word on another origin keeps a batch of it from being merged`(isRelayed: Bool) throws {
        var field = try Field(isRelayed: isRelayed)
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
        var field = try Field(isRelayed: true)
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

    @Test func `what a claim hides that nothing contradicts is taken from those who tell less for long`() throws {
        var field = try Field(isRelayed: true)
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
        var field = try Field(isRelayed: false)
        try field.write("before")
        try field.connect()
        // The origin has started without its models, and has not written this type since.
        var former = try Wire.makeOrigin()
        _ = try former.write(.merge, type: "Former", id: "1", fields: EncodedFields(["a": 1]), now: field.now)
        former.flush()
        field.formerRecords = Array(former.cache.snapshot().records(of: "Former"))
        var told = field.of(field.origin, 0)
        told.heads = [Head(topic: .data(type: "Former"), sequence: 0, digest: former.cache.digest(of: "Former"))]
        told.isRelayed = true
        field.lie = [told]
        try field.pass(milliseconds: 40_000, liarTells: told)
        #expect(field.replica.cache["Former", "1"]?["a"] == 1)
        #expect(field.replica.counters[.contradictedHeads] == 0)
    }

    @Test(arguments: [false, true])
    func `a later start that only another tells of does not make batches old for good`(isRelayed: Bool) throws {
        var field = try Field(isRelayed: isRelayed)
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
        var field = try Field(isRelayed: true)
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 1_000)
        field.hear(field.liar, field.of(field.origin, 3, incarnation: field.now.wallMilliseconds << 16))
        try field.write("lost", isLost: true)
        try field.pass(milliseconds: 40_000)
        #expect(field.stream?.incarnation == field.origin.incarnation)
        #expect(field.holds("lost"))
    }

    @Test func `what was deleted and forgotten while a claimed start was followed goes here as well`() throws {
        var field = try Field(isRelayed: true, retention: .seconds(10))
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

    @Test func `a head that its own teller's copy does not hold counts no longer`() throws {
        var field = try Field(isRelayed: true)
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
        replica.streams[stream.key] = stream
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
        replica.streams[stream.key] = stream
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
        replica.streams[stream.key] = stream
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
            Heads(origin: "job", incarnation: later, stamp: later, heads: [Head(topic: topic, sequence: .max)]),
            of: liar, now: Self.now)
        guard case .refused(.denied, _) = try push(first - (1_000 << 16), 1) else {
            Issue.record("a start that is closed goes on")
            return
        }
        #expect(try push(first, 2) == .accepted)
        #expect(replica.streamStatus(now: Self.now).first?.incarnation == first)
    }

    @Test func `a head that its teller takes back counts no longer`() throws {
        var field = try Field(isRelayed: true)
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
        var field = try Field(isRelayed: true)
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
        let heads = Heads(origin: "job", incarnation: later, stamp: later, heads: [Head(topic: topic, sequence: 9)])
        replica.learn(heads, of: liar, now: Self.now)
        #expect(try Self.push(job, to: replica) == [.accepted])
        #expect(replica.cache["User", "1"] != nil)
        let stream = try #require(replica.streamStatus(now: Self.now).first)
        #expect(stream.incarnation == job.incarnation && stream.applied == 1)
    }

    @Test func `who joins late behind a relay takes no batch twice for news and accuses nobody`() throws {
        var field = try Field(isRelayed: true)
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
        var field = try Field(isRelayed: true)
        let position = StreamPosition(
            origin: "origin", topic: topic, incarnation: field.origin.incarnation, applied: .max)
        field.replica.restore([position], now: field.now)
        try field.connect()
        try field.write("1")
        #expect(field.holds("1"))
        try field.pass(milliseconds: 1_000)
        #expect(field.stream?.applied == 1)
    }

    @Test func `no store keeps what one of several senders has claimed just now`() throws {
        var field = try Field(isRelayed: true)
        try field.write("before")
        field.lie = [field.of(field.origin, .max)]
        try field.connect()
        #expect(field.replica.positions.isEmpty)
        field = try Field(isRelayed: true)
        try field.write("before")
        try field.connect()
        try field.pass(milliseconds: 20_000)
        #expect(field.replica.positions.map(\.applied) == [1])
    }

    // MARK: A relay

    private static let now = Moment(wallMilliseconds: 1_800_000_000_500, uptimeMicroseconds: 2_000_000)

    private static func relay() -> Replica {
        var configuration = ReplicaConfiguration(name: "relay", repairJitterMax: .zero)
        configuration.forwardsBatches = true
        return Replica(configuration: configuration, cache: ModelCache(), seed: 1)
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
