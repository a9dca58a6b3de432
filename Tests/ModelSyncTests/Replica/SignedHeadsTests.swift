@_spi(CacheWriting) import ModelCache
import ModelGrants
import ModelRecord
import ModelSigning
import ModelWire
import TestSupport
import Testing

@testable import ModelSync

/// What an origin signs of its own copy, and what that shows of the copies of others.
@Suite struct SignedHeadsTests {
    private static func key(_ number: UInt8) throws -> SigningKey {
        try #require(SigningKey(seed: [UInt8](repeating: number, count: SigningKey.byteCount)))
    }

    /// Every type has to be signed: by `accounts` with the first key, by `others` with the second.
    private static func rules() throws -> SignatureRules {
        let signers = try [("accounts", UInt8(1)), ("others", 2)].map { name, number in
            SignatureRules.Signer(
                Publication(types: [.all], origins: [try #require(NamePattern(name))]), key: try key(number).publicKey)
        }
        return try #require(SignatureRules(signedTypes: [.all], signers: signers))
    }

    /// Two origins that sign, a relay of both, and a replica of the relay that has not joined yet.
    private static func network() throws -> RelayNetwork {
        var network = RelayNetwork(seed: 1)
        for (name, number) in [("accounts", UInt8(1)), ("others", 2)] {
            let key = try key(number)
            try network.addOrigin(name) { $0.signingKey = key }
        }
        try network.addRelay("relay")
        network.addReplica()
        network.relays[0].require(try rules())
        network.replicas[0].require(try rules())
        for origin in 0..<2 { network.connect(.relay(0), to: .origin(origin)) }
        network.run(milliseconds: 2_000)
        return network
    }

    private static func join(_ network: inout RelayNetwork) throws {
        network.connect(.replica(0), to: .relay(0))
        let isSettled = network.settle()
        try #require(isSettled, "\(network.differences)")
    }

    private static func told(_ network: RelayNetwork) -> Int { network.notices.count { $0.kind == .notAsSigned } }

    /// What somebody may do to a copy that he hands on.
    enum Lie {
        /// Another value of the same version.
        case value
        /// A model that its origin has not written.
        case added
        /// The same, as if it were older than all that is signed.
        case older
    }

    private static func tell(_ lie: Lie, in network: RelayNetwork) throws {
        let id = lie == .value ? "7" : "invented"
        let record = try #require(network.origins[0].cache["User", "7"])
        let version = try #require(record.version(of: "a"))
        var writer = BatchWriter()
        let age: Stamp = lie == .older ? 86_400_000 << 16 : 0
        try writer.append(.merge, stamp: version.stamp - age, id: id, fields: ["a": 666])
        let frame = writer.finish(origin: "accounts", incarnation: 1, sequence: 1)
        var decoder = BatchDecoder()
        try decoder.decode(frame.span)
        let made = ModelCache()
        made.commit(decoder.batch(in: frame.span), type: "User")
        network.relays[0].cache.commit { commit in
            commit.overwrite(type: "User", id: id, with: made["User", id])
        }
    }

    @Test func `copies that are what was signed are compared again and again, and nothing is told`() throws {
        var network = try Self.network()
        try Self.join(&network)
        for round in 0..<200 {
            for number in 0..<20 {
                let id = "\((round + number) % 50)"
                switch (round + number) % 7 {
                case 0: try network.write(0, id, as: .delete)
                case 1: try network.write(0, id, ["b": .undefined])
                case 2: try network.write(0, id, ["c": .int(Int64(round))], as: .replace)
                case 3: try network.write(1, id, ["o": .int(Int64(round))], type: "Order")
                default: try network.write(0, id, ["a": .int(Int64(round)), "b": "text"])
                }
            }
            network.run(milliseconds: 1_000)
        }
        for replica in [network.replicas[0], network.relays[0].replica] {
            #expect(replica.counters[.signedDifferences] == 0)
            let compared = try #require(replica.signatures).copies.comparisonCount
            #expect(compared > 40, "compared \(compared) times")
            #expect(replica.errors.all.isEmpty)
        }
        #expect(Self.told(network) == 0)
    }

    @Test func `all types that are signed with one heartbeat are compared, and a flood takes a fifth of the time`() {
        var copies = SignedCopies()
        func compare(_ type: Int, stamp: UInt64, models: Int, at time: UInt64) -> Bool {
            let told = SignedHeads(
                origin: "accounts", incarnation: 1, stamp: stamp, type: "T\(type)", since: 0, heads: [], firstBucket: 0,
                hashes: [])
            guard copies.mayCompare(told, at: time) else { return false }
            _ = copies.note(told, equal: [], differing: [], of: 256, modelCount: models, at: time)
            return true
        }
        for round in 1...10 as ClosedRange<UInt64> {
            for type in 0..<8 {
                let isCompared = compare(type, stamp: round, models: 64, at: round * 100_000)
                #expect(isCompared, "type \(type) in round \(round)")
            }
        }
        var models: UInt64 = 0
        for step in 1...10_000 as ClosedRange<UInt64>
        where compare(0, stamp: 100 + step, models: 512, at: 1_000_000 + step * 100) {
            models += 512
        }
        // A microsecond each, and four of rest.
        #expect(models > 200_000 && models < 260_000, "\(models) models in a second")
    }

    @Test func `what is older than all that an origin signs is told once, as nothing says whose it is`() throws {
        var network = try Self.network()
        for number in 0..<100 { try network.write(0, "\(number)", ["a": .int(Int64(number))]) }
        network.run(milliseconds: 2_000)
        try Self.tell(.older, in: network)
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 200_000)
        let notices = network.notices.filter { $0.kind == .olderThanSigned }
        #expect(notices.count == 2)
        #expect(notices.allSatisfy { $0.metadata["origin"] == "accounts" && $0.metadata["type"] == "User" })
        for replica in [network.replicas[0], network.relays[0].replica] {
            #expect(replica.counters[.signedDifferences] == 0)
            #expect(replica.errors.all.contains { $0.kind == "copy older than what is signed" })
        }
    }

    @Test(arguments: [Lie.value, .added])
    func `a copy that was changed on its way is told after a minute, once`(lie: Lie) throws {
        var network = try Self.network()
        for number in 0..<100 { try network.write(0, "\(number)", ["a": .int(Int64(number))]) }
        network.run(milliseconds: 2_000)
        try Self.tell(lie, in: network)
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 50_000)
        #expect(Self.told(network) == 0)
        network.run(milliseconds: 100_000)
        // The relay, which is honest here, finds the damage in its own copy as well.
        for replica in [network.replicas[0], network.relays[0].replica] {
            #expect(replica.counters[.signedDifferences] > 0)
            #expect(replica.errors.all.contains { $0.kind == "copy not as signed" })
        }
        #expect(Self.told(network) == 2)
    }

    @Test(arguments: [nil, 7, 255] as [Int?])
    func `signed heads that somebody withholds, all or some, are missed after minutes`(bucket: Int?) throws {
        var network = try Self.network()
        for number in 0..<2_000 { try network.write(0, "\(number)", ["a": 1]) }
        try Self.join(&network)
        // Those of the bucket do not reach the replica, or none does.
        let own = network.links.firstIndex { $0.listener == .replica(0) }
        network.loses = { link, payload in
            guard link == own, payload.count > 1, payload[1] == 3 else { return false }
            guard case .signedHeads(let told)? = try? StreamFrame(decoding: payload.span) else { return false }
            return bucket.map { told.buckets.contains($0) } ?? true
        }
        network.run(milliseconds: 280_000)
        #expect(network.notices.count { $0.kind == .unconfirmedCopy } == 0)
        network.run(milliseconds: 120_000)
        #expect(network.notices.count { $0.kind == .unconfirmedCopy } == 1)
        network.loses = { _, _ in false }
        network.run(milliseconds: 700_000)
        #expect(network.notices.count { $0.kind == .unconfirmedCopy } == 1)
    }

    @Test func `an origin that is said to only push is told once as one that cannot be compared`() throws {
        var network = try Self.network()
        for number in 0..<100 { try network.write(0, "\(number)", ["a": 1]) }
        try Self.join(&network)
        let own = network.links.firstIndex { $0.listener == .replica(0) }
        network.loses = { link, payload in link == own && payload.count > 1 && payload[1] == 3 }
        network.replicas[0].notePushed("accounts")
        network.run(milliseconds: 1_500_000)
        let notices = network.notices.filter { $0.kind == .unconfirmedCopy && $0.metadata["origin"] == "accounts" }
        #expect(notices.count == 1)
        #expect(notices.allSatisfy { $0.metadata["advice"]?.contains("only pushes") ?? false })
        #expect(network.replicas[0].errors.all.contains { $0.kind == "copy that cannot be compared" })
    }

    @Test func `models of an origin of which no sender tells are told once`() throws {
        var network = try Self.network()
        for number in 0..<100 { try network.write(0, "\(number)", ["a": 1]) }
        network.run(milliseconds: 2_000)
        // As a relay that names the origin nowhere, and answers with its models all the same.
        let copy = network.relays[0].cache.snapshot()
        network.replicas[0].cache.commit { commit in
            copy.forEach(type: "User", includingTombstones: true) { record in
                commit.join(record, type: "User")
                return true
            }
        }
        network.run(milliseconds: 200_000)
        #expect(network.notices.count { $0.kind == .unconfirmedCopy } == 0)
        network.run(milliseconds: 1_500_000)
        let notices = network.notices.filter { $0.kind == .unconfirmedCopy }
        #expect(notices.count == 1 && notices.first?.metadata["origin"] == "accounts")
        #expect(notices.allSatisfy { $0.metadata["advice"]?.contains("no sender tells") ?? false })
    }

    @Test func `that an origin only pushes is no excuse once it has signed its copy`() throws {
        var network = try Self.network()
        for number in 0..<100 { try network.write(0, "\(number)", ["a": 1]) }
        try Self.join(&network)
        network.run(milliseconds: 100_000)
        let own = network.links.firstIndex { $0.listener == .replica(0) }
        network.loses = { link, payload in link == own && payload.count > 1 && payload[1] == 3 }
        network.replicas[0].notePushed("accounts")
        network.run(milliseconds: 700_000)
        let advice = network.notices.filter { $0.kind == .unconfirmedCopy }.compactMap { $0.metadata["advice"] }
        #expect(advice.count == 2)
        #expect(advice.allSatisfy { $0.contains("withhold") })
    }

    @Test func `what two origins write by turns is compared with neither`() throws {
        var network = try Self.network()
        try Self.join(&network)
        for round in 0..<150 {
            try network.write(round % 2, "shared", ["a": .int(Int64(round))])
            network.run(milliseconds: 1_000)
        }
        #expect(network.replicas[0].counters[.signedDifferences] == 0)
        #expect(Self.told(network) == 0)
    }

    /// The first origin starts again, with some models of before.
    private static func restart(
        _ network: inout RelayNetwork, with cache: ModelCache, isWhole: Bool
    ) throws {
        let seen = network.origins[0].lastStamp
        var configuration = network.origins[0].configuration
        configuration.heldSince = isWhole ? 0 : nil
        network.origins[0] = try Origin(configuration: configuration, cache: cache, now: network.now, after: seen)
        for link in network.links where link.server == .origin(0) {
            network.relays[0].disconnected(link.sender, reason: "reset", now: network.now)
        }
        network.carryOutAll()
    }

    @Test(arguments: [true, false])
    func `what earlier starts wrote is signed where the origin has all of it`(isWhole: Bool) throws {
        var network = try Self.network()
        for number in 0..<100 { try network.write(0, "\(number)", ["a": .int(Int64(number))]) }
        network.run(milliseconds: 2_000)
        try Self.tell(.value, in: network)
        try Self.restart(&network, with: network.origins[0].cache, isWhole: isWhole)
        try network.write(0, "1", ["b": 2])
        network.connect(.replica(0), to: .relay(0))
        network.run(milliseconds: 150_000)
        #expect((network.replicas[0].counters[.signedDifferences] > 0) == isWhole)
    }

    @Test func `an origin that has started without its models signs what it has written since`() throws {
        var network = try Self.network()
        for number in 0..<100 { try network.write(0, "\(number)", ["a": 1]) }
        try Self.join(&network)
        try Self.restart(&network, with: ModelCache(), isWhole: false)
        try network.write(0, "7", ["b": 2])
        network.run(milliseconds: 150_000)
        #expect(network.replicas[0].counters[.signedDifferences] == 0)
        #expect(network.replicas[0].cache["User", "7"]?["a"] == 1)
        #expect(network.replicas[0].cache["User", "7"]?["b"] == 2)
    }

    /// Signed heads of `accounts` that nobody has signed, or another.
    private static func forged(_ network: RelayNetwork, by key: SigningKey?, stamp: Stamp) -> [UInt8] {
        let topic = Topic.heads(origin: "accounts")
        let told = SignedHeads(
            origin: "accounts", incarnation: network.origins[0].incarnation, stamp: stamp, type: "User", since: 0,
            heads: [], firstBucket: 0, hashes: [UInt8](repeating: 7, count: 32))
        let frame = told.encodeWithoutSeal()
        return key.map { BatchSealer(key: $0).sealed(frame, on: topic.bytes) } ?? frame + [0x40]
    }

    @Test func `heads that their origin has not signed are dropped, counted and handed on to nobody`() throws {
        var network = try Self.network()
        try network.write(0, "1", ["a": 1])
        try Self.join(&network)
        let relay = network.relays[0]
        let topic = Topic.heads(origin: "accounts")
        var stamp = network.now.wallMilliseconds << 16
        func publishedCount() -> Int {
            relay.takeActions().count {
                if case .publish(topic, let payload) = $0 { payload.count > 1 && payload[1] == 3 } else { false }
            }
        }
        _ = publishedCount()
        let keys: [SigningKey?] = [nil, try Self.key(2), try Self.key(9)]
        for key in keys {
            stamp += 1
            let frame = Self.forged(network, by: key, stamp: stamp)
            relay.receiveStream(network.links[0].sender, topic: topic.bytes.span, payload: frame.span, now: network.now)
        }
        #expect(relay.replica.counters[.unsignedBatches] == 3)
        #expect(publishedCount() == 0)
        // What is genuine is handed on once, whoever brings it.
        stamp += 1
        let genuine = Self.forged(network, by: try Self.key(1), stamp: stamp)
        for _ in 0..<3 {
            relay.receiveStream(
                network.links[0].sender, topic: topic.bytes.span, payload: genuine.span, now: network.now)
        }
        #expect(publishedCount() == 1)
        // Of a flood no more are verified than there is a budget for.
        for _ in 0..<1_000 {
            stamp += 1
            var frame = Self.forged(network, by: try Self.key(1), stamp: stamp)
            frame[20] ^= 1
            relay.receiveStream(network.links[0].sender, topic: topic.bytes.span, payload: frame.span, now: network.now)
        }
        #expect(relay.replica.counters[.forgedBatches] <= 256)
    }

    @Test func `all models are signed in turns, a few with each heartbeat`() throws {
        var network = RelayNetwork(seed: 1)
        let key = try Self.key(1)
        try network.addOrigin("accounts") { $0.signingKey = key }
        for number in 0..<20_000 { try network.write(0, "\(number)", ["a": 1]) }
        for number in 0..<10 { try network.write(0, "\(number)", ["a": 1], type: "Small") }
        var covered: [String: Set<Int>] = [:]
        var largest = 0
        for _ in 0..<60 {
            network.time += 500_000
            network.origins[0].tick(now: network.now)
            for case .publish(_, let payload) in network.origins[0].takeActions() {
                guard case .signedHeads(let told) = try StreamFrame(decoding: payload.span) else { continue }
                covered[told.type, default: []].formUnion(told.buckets)
                if told.type == "User" { largest = max(largest, told.buckets.count) }
            }
        }
        #expect(covered == ["User": Set(0..<256), "Small": Set(0..<256)])
        // 512 models, and the bucket that passes them.
        #expect(largest <= 9)
    }
}
