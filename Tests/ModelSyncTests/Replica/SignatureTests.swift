import ModelCache
import ModelGrants
import ModelRecord
import ModelSigning
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// Signatures, where grants require them.
@Suite struct SignatureTests {
    private static let user = Topic.data(type: "User")

    private static func key(_ number: UInt8) throws -> SigningKey {
        try #require(SigningKey(seed: [UInt8](repeating: number, count: SigningKey.byteCount)))
    }

    /// `User` has to be signed, by `accounts` with the first key.
    private static func rules() throws -> SignatureRules {
        let everything = try #require(NamePattern("accounts*"))
        let signer = SignatureRules.Signer(
            Publication(types: [.all], origins: [everything]), key: try key(1).publicKey)
        let types = try #require(NamePattern("User"))
        return try #require(SignatureRules(signedTypes: [types], signers: [signer]))
    }

    /// An origin that signs, relays side by side, and a replica of these.
    private static func network(relays: Int = 1, seed: UInt64 = 1) throws -> RelayNetwork {
        var network = RelayNetwork(seed: seed)
        let key = try key(1)
        try network.addOrigin("accounts") { $0.signingKey = key }
        network.addReplica()
        for index in 0..<relays {
            try network.addRelay("relay-\(index)")
            network.connect(.relay(index), to: .origin(0))
            network.connect(.replica(0), to: .relay(index))
        }
        for relay in network.relays { relay.require(try rules()) }
        for replica in network.replicas { replica.require(try rules()) }
        network.run(milliseconds: 2_000)
        return network
    }

    private static func settle(_ network: inout RelayNetwork) throws {
        let isSettled = network.settle()
        try #require(isSettled, "\(network.differences)")
    }

    /// A batch that says it is the next of `accounts`.
    private static func forged(
        _ network: RelayNetwork, sequence: UInt64, incarnation: UInt64? = nil, by key: SigningKey? = nil,
        type: String = "User"
    ) throws -> [UInt8] {
        var writer = BatchWriter()
        let stamp = network.now.wallMilliseconds << 16 + 0xFFFF
        try writer.append(.merge, stamp: stamp, id: "forged", fields: ["a": -1])
        let frame = writer.finish(
            origin: "accounts", incarnation: incarnation ?? network.origins[0].incarnation, sequence: sequence,
            awaitsSeal: key != nil)
        return key.map { BatchSealer(key: $0).sealed(frame, on: Topic.data(type: type).bytes) } ?? frame
    }

    @Test func `what is not sealed by its origin is dropped, whoever brings it`() throws {
        var network = try Self.network()
        for number in 0..<3 { try network.write(0, "\(number)", ["a": 1]) }
        try Self.settle(&network)
        let genuine = try #require(network.sent[0]?.last)
        var changed = genuine
        let place = try #require(changed.indices.first { changed[$0] == 0x61 && changed[$0 + 1] == 0x61 })
        changed[place + 1] = 0x62
        let frames: [(topic: Topic, frame: [UInt8])] = [
            (Self.user, try Self.forged(network, sequence: 2)),
            (Self.user, try Self.forged(network, sequence: 2, by: Self.key(2))),
            (Self.user, changed),
            (Topic.data(type: "User", partitions: .sixteen, bucket: 16), genuine),
            // The start would close the present one, whatever type it is told by.
            (.data(type: "Other"), try Self.forged(network, sequence: 1, incarnation: .max >> 2, type: "Other")),
        ]
        let (relay, replica) = (network.relays[0], network.replicas[0])
        for (index, (topic, frame)) in frames.enumerated() {
            let now = network.now
            relay.receiveStream(
                network.links[0].sender, topic: topic.bytes.span, payload: frame.span, now: now)
            replica.receiveStream(
                network.links[1].sender, topic: topic.bytes.span, payload: frame.span, now: now)
            for counters in [relay.replica.counters, replica.counters] {
                #expect(counters[.unsignedBatches] + counters[.forgedBatches] == UInt64(index + 1), "frame \(index)")
            }
        }
        #expect(relay.cache["User", "forged"] == nil && replica.cache["User", "forged"] == nil)
        let told = network.notices.count { $0.kind == .unsigned }
        network.carryOutAll()
        #expect(network.notices.count { $0.kind == .unsigned } == told + 4)
        #expect(replica.errors.all.contains { $0.kind == "unsigned message" })
        for number in 0..<5 { try network.write(0, "later-\(number)", ["a": 1]) }
        try Self.settle(&network)
        #expect(replica.cache.types == ["User"])
    }

    @Test func `a replay that brings what is not sealed is ended, and another sender is asked`() throws {
        var wasForged = false
        for liar in 0..<2 {
            var network = try Self.network(relays: 2)
            try network.write(0, "before", ["a": 1])
            try Self.settle(&network)
            let subscriptions = network.links.map(\.subscriptions)
            for index in network.links.indices where network.links[index].listener == .replica(0) {
                network.links[index].subscriptions = []
            }
            try network.write(0, "lost", ["a": 1])
            network.run(milliseconds: 100)
            // What the relay has to send again is not what the origin has written.
            let stream = ReplayRing.Stream(
                origin: "accounts", incarnation: network.origins[0].incarnation, topic: Self.user)
            network.relays[liar].ring = ReplayRing()
            network.relays[liar].ring.append(
                stream, sequence: 2, payload: try Self.forged(network, sequence: 2),
                at: network.now.uptimeMicroseconds)
            for index in network.links.indices { network.links[index].subscriptions = subscriptions[index] }
            try Self.settle(&network)
            let replica = network.replicas[0]
            #expect(replica.cache["User", "lost"] != nil && replica.cache["User", "forged"] == nil)
            wasForged = wasForged || replica.counters[.unsignedBatches] == 1
        }
        #expect(wasForged)
    }

    @Test func `what is not sealed begins no start, of whatever type, and heads alone close none`() throws {
        var network = try Self.network()
        try network.write(0, "before", ["a": 1])
        try Self.settle(&network)
        let (replica, sender) = (network.replicas[0], network.links[1].sender)
        let start = network.origins[0].incarnation
        let later = network.now.wallMilliseconds << 16
        let frame = try Self.forged(network, sequence: 1, incarnation: later, type: "Other")
        let other = Topic.data(type: "Other").bytes
        replica.receiveStream(sender, topic: other.span, payload: frame.span, now: network.now)
        #expect(replica.counters[.unsignedBatches] == 1 && replica.cache.types == ["User"])
        #expect(replica.streamStatus(now: network.now).first?.incarnation == start)
        // Heads are a claim, as they are without signatures: a sealed batch that was written later ends it.
        let heads = Heads(
            origin: "accounts", incarnation: later, stamp: later + 9, heads: [TopicHead(topic: Self.user, sequence: 9)],
            isRelayed: true)
        replica.receiveStream(
            sender, topic: Topic.heads(origin: "accounts").bytes.span, payload: heads.encode().span,
            now: network.now)
        network.run(milliseconds: 10)
        try network.write(0, "after", ["a": 1])
        try Self.settle(&network)
        let stream = try #require(replica.streamStatus(now: network.now).first)
        #expect(stream.incarnation == start && stream.applied == 2 && stream.missing == 0)
        // The origin starts again, and is followed.
        var configuration = network.origins[0].configuration
        configuration.signingKey = try Self.key(1)
        network.origins[0] = try Origin(
            configuration: configuration, cache: network.origins[0].cache, now: network.now,
            after: network.origins[0].lastStamp)
        try network.write(0, "again", ["a": 1])
        try Self.settle(&network)
        #expect(replica.cache["User", "again"] != nil)
        #expect(replica.streamStatus(now: network.now).first?.incarnation == network.origins[0].incarnation)
    }

    @Test func `a relay takes no push that is not sealed`() throws {
        var network = try Self.network()
        func push(_ payload: [UInt8]) -> ControlReply? {
            network.ask(
                .relay(0), .push(rid: 1, topic: Self.user, batch: payload), as: Grantee(name: "nightly", rights: .all)
            ).first
        }
        func batch(
            _ origin: String, _ sequence: UInt64, by key: SigningKey?, start: UInt64 = 1_800_000_000_000 << 16
        ) throws -> [UInt8] {
            var writer = BatchWriter()
            try writer.append(.merge, stamp: start + sequence, id: "job", fields: ["a": 1])
            let frame = writer.finish(
                origin: origin, incarnation: start, sequence: sequence, awaitsSeal: key != nil)
            return key.map { BatchSealer(key: $0).sealed(frame, on: Self.user.bytes) } ?? frame
        }
        for payload in [
            try batch("accounts-job", 1, by: nil), try batch("accounts-job", 1, by: Self.key(2)),
            try batch("other", 1, by: Self.key(1)),
        ] {
            guard case .error(_, .denied, let message)? = push(payload) else {
                Issue.record("it was not denied")
                continue
            }
            #expect(message.contains("signed") && message.contains("sign="))
        }
        // Nothing is kept of a name that is not followed, whoever has signed.
        #expect(network.relays[0].replica.origins["accounts-job"].signedStart == 0)
        let ahead = try batch("accounts-ahead", 1, by: Self.key(1), start: 2_800_000_000_000 << 16)
        guard case .error(_, .limit, _)? = push(ahead) else { throw CaseFailure("a start too far ahead is taken") }
        #expect(network.relays[0].replica.origins["accounts-ahead"].signedStart == 0)
        #expect(push(try batch("accounts-job", 1, by: Self.key(1))) == .accepted(rid: 1))
        #expect(network.relays[0].replica.origins["accounts-job"].signedStart == 1_800_000_000_000 << 16)
        network.run(milliseconds: 6_000)
        #expect(network.replicas[0].cache["User", "job"] != nil)
    }

    @Test func `relays hand seals on, also in replays`() throws {
        // The relays know of no signatures.
        var network = RelayNetwork(seed: 5)
        let key = try Self.key(1)
        try network.addOrigin("accounts") { $0.signingKey = key }
        try network.addRelay("first")
        try network.addRelay("second")
        network.addReplica()
        network.replicas[0].require(try Self.rules())
        network.connect(.relay(0), to: .origin(0))
        network.connect(.relay(1), to: .relay(0))
        network.connect(.replica(0), to: .relay(1))
        network.run(milliseconds: 3_000)
        network.lossPerMille = 60
        for number in 0..<300 {
            try network.write(0, "\(number % 7)", ["a": .int(Int64(number))])
            network.run(milliseconds: 20)
        }
        try Self.settle(&network)
        let counters = network.replicas[0].counters
        #expect(counters[.replayedBatches] > 0, "lost \(network.lostCount)")
        #expect(counters[.appliedBatches] > 0 && counters[.unsignedBatches] + counters[.forgedBatches] == 0)
    }

    @Test func `nothing has to be signed that the grants do not name`() throws {
        var network = RelayNetwork(seed: 3)
        try network.addOrigin("orders")
        network.addReplica()
        network.replicas[0].require(try Self.rules())
        network.connect(.replica(0), to: .origin(0))
        network.run(milliseconds: 1_000)
        try network.write(0, "1", ["a": 1], type: "Order")
        try Self.settle(&network)
        #expect(network.replicas[0].cache["Order", "1"] != nil)
        // Another origin than those that sign may not write what has to be signed.
        try network.write(0, "1", ["a": 1])
        network.run(milliseconds: 1_000)
        #expect(network.replicas[0].counters[.unsignedBatches] > 0)
    }

    @Test func `batches that leave together have one signature, and every one of them is in the ring with its seal`()
        throws
    {
        var network = try Self.network()
        for number in 0..<70 { try network.write(0, "\(number)", ["a": .text(String(repeating: "x", count: 200))]) }
        try Self.settle(&network)
        let frames = try #require(network.sent[0])
        #expect(frames.count > 20)
        var verifier = SealVerifier()
        let (topic, keys) = (Self.user.bytes, [try Self.key(1).publicKey])
        for frame in frames {
            let verdict = verifier.verdict(topic: topic.span, frame: frame.span, keys: keys)
            #expect(verdict == .genuine)
        }
        let replay = network.ask(
            .origin(0),
            .replay(
                rid: 7, origin: "accounts", incarnation: network.origins[0].incarnation, topic: Self.user, first: 1,
                last: UInt64(frames.count)))
        let again = replay.compactMap { if case .frame(_, _, let batch) = $0 { batch } else { nil } }
        #expect(again.isEmpty || again == Array(frames.prefix(again.count)))
    }

    @Test func `under load up to eight batches wait for each other, for two milliseconds at most`() throws {
        var configuration = OriginConfiguration(name: "accounts", streamEndpoint: "memory")
        configuration.signingKey = try Self.key(1)
        var now = Moment(wallMilliseconds: 1_800_000_000_000, uptimeMicroseconds: 1_000_000)
        var origin = try Origin(configuration: configuration, cache: ModelCache(), now: now)
        func holds() -> Bool { origin.mayHoldActions(at: now.uptimeMicroseconds) }
        for number in 0..<8 {
            #expect(holds() == (number > 0))
            _ = try origin.write(.merge, type: "User", id: "\(number)", fields: EncodedFields(["a": 1]), now: now)
            origin.flush()
            now.uptimeMicroseconds += 100
        }
        #expect(!holds())
        let frames = origin.takeActions().compactMap { action -> [UInt8]? in
            if case .publish(_, let payload) = action { payload } else { nil }
        }
        var verifier = SealVerifier()
        let (topic, keys) = (Self.user, [try Self.key(1).publicKey])
        for frame in frames {
            let verdict = verifier.verdict(topic: topic.bytes.span, frame: frame.span, keys: keys)
            #expect(verdict == .genuine)
        }
        #expect(frames.count == 8)
        _ = try origin.write(.merge, type: "User", id: "9", fields: EncodedFields(["a": 1]), now: now)
        origin.flush()
        now.uptimeMicroseconds += 1_900
        #expect(holds())
        now.uptimeMicroseconds += 100
        #expect(!holds())
        // What is no batch does not wait.
        _ = origin.takeActions()
        _ = try origin.write(.merge, type: "User", id: "10", fields: EncodedFields(["a": 1]), now: now)
        origin.flush()
        #expect(holds())
        origin.tick(now: now)
        #expect(!holds())
    }
}
