import Foundation
import Logging
import ModelGrants
import ModelRecord
import ModelSigning
import ModelSync
import ModelWire
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

/// Signatures over real sockets.
@Suite(.timeLimit(.minutes(10))) struct SignedTests {
    private let publisher: Curve.KeyPair
    private let relay: Curve.KeyPair
    private let subscriber: Curve.KeyPair
    private let signing = SigningKey()

    init() throws {
        publisher = try Curve.KeyPair()
        relay = try Curve.KeyPair()
        subscriber = try Curve.KeyPair()
    }

    private static func text(_ key: VerifyingKey) throws -> String { try #require(Curve.encodeZ85(key.bytes)) }

    /// `User` has to be signed with one of these keys; `Order` need not be.
    private func grants(_ keys: [VerifyingKey]) throws -> Grants {
        let words = try keys.map { " sign=\(try Self.text($0))" }.joined()
        return try Grants(
            parsing: """
                grant \(publisher.publicKey.z85) accounts publish:User publish:Order origin=accounts\(words)
                grant \(relay.publicKey.z85) relay-a relay subscribe:*
                grant \(subscriber.publicKey.z85) billing subscribe:*
                require-signature:User
                """)
    }

    /// A checker under rules by which everything has to be signed.
    private func makeChecker() throws -> SealChecker {
        let signer = SignatureRules.Signer(Publication(types: [.all], origins: [.all]), key: signing.publicKey)
        return SealChecker(try #require(SignatureRules(signedTypes: [.all], signers: [signer]))) {}
    }

    private func makePublisher(_ access: Access, signingKey: SigningKey?) throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: "accounts", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.security = Security(keys: publisher, access: access, signingKey: signingKey)
        return try Publisher(configuration, logger: silent)
    }

    private func makeSubscriber(
        _ access: Access, of control: String, _ server: Curve.KeyPair
    ) throws -> Subscriber {
        var configuration = SubscriberConfiguration(name: "billing", publishers: [control])
        configuration.security = Security(keys: subscriber, server: server.publicKey, access: access)
        return try Subscriber(configuration, logger: silent)
    }

    @Test func `what a publisher signs comes through a relay, under load too, and what others sign does not`()
        async throws
    {
        let access = Access(try grants([signing.publicKey]))
        let publisher = try makePublisher(access, signingKey: signing)
        try await running(publisher) { endpoints in
            var configuration = RelayConfiguration(
                name: "relay-a", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"),
                publishers: [endpoints.control])
            configuration.heartbeatInterval = .milliseconds(50)
            configuration.security = Security(
                keys: self.relay, server: self.publisher.publicKey, access: access)
            try await during(Relay(configuration, logger: silent)) { relay in
                let control = try await relay.boundEndpoints.control
                try await during(makeSubscriber(access, of: control, self.relay)) { subscriber in
                    try await subscriber.waitUntilLive()
                    for round in 0..<400 as Range<Int64> {
                        try publisher.batch { writes in
                            for id in 0..<64 { try writes.merge("User", "\(id)", ["n": .int(round)]) }
                        }
                    }
                    try publisher.merge("Order", "1", ["n": 1])
                    #expect(
                        await eventually {
                            subscriber.cache["User", "63"]?["n"] == 399 && subscriber.cache["Order", "1"] != nil
                        })
                    // A status may be some milliseconds old.
                    for status in [{ relay.status.replicaCounters }, { subscriber.status.counters }] {
                        #expect(await eventually { status()[.appliedUpdates] > 0 })
                        #expect(status()[.unsignedBatches] + status()[.forgedBatches] == 0)
                    }
                    // The key is taken from the grants of those who listen: what it signs counts no longer.
                    access.replace(by: try grants([SigningKey().publicKey]))
                    #expect(
                        await eventually {
                            _ = try? publisher.merge("User", "late", ["n": .int(Int64.random(in: 0...1_000_000))])
                            return relay.status.replicaCounters[.unsignedBatches] > 0
                        })
                    let seen = subscriber.cache["User", "late"]?["n"]
                    #expect(relay.status.errors.contains { $0.kind == "unsigned message" })
                    // With the old key beside the new one it is taken again, and what was missed comes.
                    try publisher.merge("User", "late", ["n": -1])
                    #expect(seen != .int(-1))
                    access.replace(by: try grants([SigningKey().publicKey, signing.publicKey]))
                    #expect(await eventually { subscriber.cache["User", "late"]?["n"] == -1 })
                }
            }
        }
    }

    @Test func `a publisher without its signing key is told so, and what it writes of a signed type is dropped`()
        async throws
    {
        let lines = RecordedLog()
        let access = Access(try grants([signing.publicKey]), audit: lines.makeLogger())
        let publisher = try makePublisher(access, signingKey: nil)
        try await running(publisher) { endpoints in
            try await during(makeSubscriber(access, of: endpoints.control, self.publisher)) { subscriber in
                try await subscriber.waitUntilLive()
                try publisher.merge("User", "1", ["n": 1])
                #expect(await eventually { subscriber.status.counters[.unsignedBatches] > 0 })
                #expect(
                    await eventually {
                        lines.entries.contains { $0.metadata["reason"]?.contains("is not signed") ?? false }
                    })
            }
        }
    }

    @Test func `messages of a sender come out of the checker in their order, and senders take turns`() async throws {
        let checker = try makeChecker()
        defer { checker.stop() }
        let topic = Topic.data(type: "User").bytes
        func frame(_ sequence: UInt64, by key: SigningKey) throws -> [UInt8] {
            var writer = BatchWriter()
            try writer.append(.merge, stamp: sequence, id: "1", fields: [:])
            let frame = writer.finish(origin: "a", incarnation: 1, sequence: sequence, awaitsSeal: true)
            return BatchSealer(key: key).sealed(frame, on: topic)
        }
        var genuine = try frame(1, by: signing)
        genuine[5] ^= 1
        let forged = genuine
        for _ in 0..<2_000 {
            checker.add(
                SealChecker.Message(sender: SenderID(index: 0), connection: 1, topic: topic, payload: forged))
        }
        for sequence in 1...20 as ClosedRange<UInt64> {
            checker.add(
                SealChecker.Message(
                    sender: SenderID(index: 1), connection: Int(sequence), topic: topic,
                    payload: try frame(sequence, by: signing)))
        }
        var finished: [SealChecker.Message] = []
        while finished.count < 2_020 {
            finished += checker.takeFinished()
            checker.waitForFinished()
        }
        let others = finished.filter { $0.sender.index == 1 }
        #expect(others.map(\.connection) == Array(1...20) && others.allSatisfy { $0.verdict == .genuine })
        #expect(finished.count { $0.verdict == .forged } == 2_000)
        let last = try #require(finished.lastIndex { $0.sender.index == 1 })
        #expect(last < 1_900, "a sender of forged batches kept another waiting")
    }

    @Test func `a sender of large batches keeps another from no more than its share`() async throws {
        let checker = try makeChecker()
        defer { checker.stop() }
        let topic = Topic.data(type: "User").bytes
        // What it ends in looks like a seal, so all of it is hashed.
        var writer = BatchWriter()
        try writer.append(.merge, stamp: 1, id: "1", fields: ["a": .text(String(repeating: "x", count: 200_000))])
        let frame = writer.finish(origin: "a", incarnation: 1, sequence: 1, awaitsSeal: true)
        var large = BatchSealer(key: signing).sealed(frame, on: topic)
        large[40] ^= 1
        for number in 0..<400 {
            checker.add(
                SealChecker.Message(sender: SenderID(index: 0), connection: number, topic: topic, payload: large))
        }
        for number in 0..<400 {
            checker.add(
                SealChecker.Message(
                    sender: SenderID(index: 1), connection: number, topic: topic, payload: [0x80, UInt8(number % 5)]))
        }
        var finished: [SealChecker.Message] = []
        while finished.count < 800 {
            finished += checker.takeFinished()
            checker.waitForFinished()
        }
        // Four small ones cost as much as a large one.
        let last = try #require(finished.lastIndex { $0.sender.index == 1 })
        #expect(finished[...last].count { $0.sender.index == 0 } < 300, "\(last)")
        #expect(finished.allSatisfy { $0.verdict == ($0.sender.index == 0 ? .forged : .unsealed) })
    }
}
