import Foundation
import ModelCache
import ModelGrants
import ModelRecord
import ModelWire
import TestSupport
import Testing
import ZeroMQ

@testable import ModelSync
@testable import Modelcast

/// Ten thousand tries to come in, or to get more than was granted, against a publisher and a relay over TCP. Nobody
/// gets anything, nothing changes, and an honest client is served all the while.
@Suite(.timeLimit(.minutes(10))) struct StrangersTests {
    private static let seed = ProcessInfo.processInfo.environment["MODELCAST_SEED"].flatMap { UInt64($0) } ?? 1
    /// Five hundred tries each.
    private static let roundCount = 21
    private static let threadCount = 3
    private static let modelCount = 20
    /// How much the process may grow after the second round. The sanitizer, which comes with a debug build, keeps a
    /// shadow of all memory.
    private static let grownByteCountMax = 128 << 20
    /// Descriptors that come and go: connections of the honest client, and those that a system closes later.
    private static let descriptorSlack = 24

    private static let words = [
        "honest": "subscribe:* publish:Pulse origin=honest", "setup": "publish:* origin=*", "narrow": "subscribe:Open",
        "other": "subscribe:Other", "job": "publish:Job origin=job", "idle": "", "revoked": "subscribe:*",
    ]

    @Test func `ten thousand tries of strangers let nobody in, change nothing, and disturb no honest client`()
        async throws
    {
        print("StrangersTests: MODELCAST_SEED=\(Self.seed)")
        let (server, keys) = (try Curve.KeyPair(), try Self.words.mapValues { _ in try Curve.KeyPair() })
        let access = Access(try Self.grants(of: keys))
        let security = Security(keys: server, access: access)
        let publisher = try Self.publisher(security)
        try await running(publisher) { publishing in
            try await during(Self.relay(security)) { relay in
                let controls = [publishing.control, try await relay.boundEndpoints.control]
                let start = publisher.core.withLock { $0.origin.incarnation }
                let targets = try await SocketThread.run(named: "setup") {
                    try Self.targets(controls, server, keys, start: start)
                }
                access.replace(by: try Self.grants(of: keys.filter { $0.key != "revoked" }))
                try await Self.attack(targets, publisher, relay)
            }
        }
    }

    private static func attack(_ targets: StrangerTargets, _ publisher: Publisher, _ relay: Relay) async throws {
        let controls = targets.senders.map(\.control)
        var configuration = SubscriberConfiguration(name: "honest", publishers: controls)
        let honest = try #require(targets.keys["honest"])
        configuration.security = Security(keys: honest, server: targets.server.publicKey)
        try await during(Subscriber(configuration, logger: silent)) { subscriber in
            try await subscriber.waitUntilLive()
            let before = (contents(of: publisher.cache), contents(of: relay.cache))
            var maker = BatchMaker()
            let client = HonestClient(
                keys: honest, server: targets.server.publicKey, controls: controls, publisher: publisher,
                subscriber: subscriber, start: maker.next())
            var (counts, gains): ([StrangerKind: Int], [String]) = ([:], [])
            var (memory, descriptors, serviceCount) = (MemoryWatch(), 0, Int64(0))
            let began = ContinuousClock.now
            for round in 0..<roundCount {
                async let tried = Self.round(round, targets)
                serviceCount += 1
                try await client.beServed(serviceCount)
                for stranger in try await tried {
                    counts.merge(stranger.counts, uniquingKeysWith: +)
                    gains += stranger.gains
                }
                serviceCount += 1
                try await client.beServed(serviceCount)
                try #require(gains.isEmpty, "MODELCAST_SEED=\(seed), round \(round): \(gains.prefix(5))")
                guard round > 0 else { continue }
                memory.look()
                if round == 1 { descriptors = openDescriptorCount() }
            }
            let tryCount = counts.values.reduce(0, +)
            print("StrangersTests: \(tryCount) tries in \(ContinuousClock.now - began), let in \(gains.count)")
            let shares = StrangerKind.allCases.map { "\($0) \(counts[$0, default: 0])" }
            print("StrangersTests: \(shares.joined(separator: ", "))")
            #expect(tryCount >= 10_000)
            try await expectUnchanged(before, publisher, relay, pushCount: UInt64(serviceCount), counts)
            #expect(await eventually { subscriber.status.isLive })
            #expect(subscriber.status.counters[.senderTimeouts] == 0)
            let grown = memory.grownByteCount
            #expect(grown < grownByteCountMax)
            #expect(await eventually { openDescriptorCount() <= descriptors + descriptorSlack })
            print("StrangersTests: \(grown >> 10) KiB more, descriptors: \(descriptors), \(openDescriptorCount())")
        }
    }

    /// Five hundred tries, shuffled and shared among threads.
    private static func round(_ number: Int, _ targets: StrangerTargets) async throws -> [Stranger] {
        var generator = SeededGenerator(seed: seed &+ UInt64(number))
        let tries = StrangerKind.allCases.flatMap { kind in
            let perTry = kind == .wrongRights ? Stranger.requestCount : 1
            return [StrangerKind](repeating: kind, count: kind.share / perTry)
        }.shuffled(using: &generator)
        return try await withThrowingTaskGroup(of: Stranger.self) { group in
            for thread in 0..<threadCount {
                let seed = generator.next()
                group.addTask {
                    try await SocketThread.run(named: "stranger") {
                        var stranger = try Stranger(targets, seed: seed)
                        for index in stride(from: thread, to: tries.count, by: threadCount) {
                            try stranger.attempt(tries[index])
                        }
                        return stranger
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    // MARK: What stays

    /// The digest of each type, but for the honest client's.
    private static func contents(of cache: ModelCache) -> [String: UInt64] {
        Dictionary(uniqueKeysWithValues: cache.types.filter { $0 != "Pulse" }.map { ($0, cache.digest(of: $0)) })
    }

    private static func expectUnchanged(
        _ before: ([String: UInt64], [String: UInt64]), _ publisher: Publisher, _ relay: Relay, pushCount: UInt64,
        _ counts: [StrangerKind: Int]
    ) async throws {
        #expect(contents(of: publisher.cache) == before.0 && contents(of: relay.cache) == before.1)
        #expect(publisher.cache.count(of: "Pulse") == 1 && relay.cache.count(of: "Pulse") == 1)
        let setupCount = UInt64(StrangerTargets.types.count)
        #expect(await eventually { relay.status.replicaCounters[.pushedBatches] == pushCount + setupCount })
        // Nobody has greeted but the honest, and keys that were let in and got nothing.
        let names = Set((publisher.status.peers + relay.status.peers).map(\.name))
        #expect(names.isSubset(of: ["honest", ""]), "\(names)")
        let refusedCount = UInt64(counts[.randomKey, default: 0] + counts[.revokedKey, default: 0])
        #expect(
            await eventually {
                publisher.status.counters[.refusedClients] + relay.status.counters[.refusedClients] >= refusedCount
            })
        #expect(publisher.status.counters[.malformedFrames] + relay.status.counters[.malformedFrames] == 0)
    }

    private static func openDescriptorCount() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    // MARK: Setup

    private static func grants(of keys: [String: Curve.KeyPair]) throws -> Grants {
        let lines = keys.map { "grant \($0.value.publicKey.z85) \($0.key) \(words[$0.key] ?? "")" }
        return try Grants(parsing: lines.joined(separator: "\n"))
    }

    private static func publisher(_ security: Security) throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: "accounts", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.heartbeatInterval = .milliseconds(500)
        configuration.security = security
        let publisher = try Publisher(configuration, logger: silent)
        for type in StrangerTargets.types {
            for id in 0..<modelCount {
                try publisher.merge(type, "\(id)", ["text": .text(StrangerTargets.mark(type))])
            }
        }
        return publisher
    }

    private static func relay(_ security: Security) throws -> Relay {
        var configuration = RelayConfiguration(
            name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: [])
        configuration.heartbeatInterval = .milliseconds(500)
        configuration.security = security
        return try Relay(configuration, logger: silent)
    }

    /// Fills the relay, and asks both senders for the streams of their keys, which are bound then.
    private static func targets(
        _ controls: [String], _ server: Curve.KeyPair, _ keys: [String: Curve.KeyPair], start: UInt64
    ) throws -> StrangerTargets {
        let context = try Context()
        func client(_ name: String, _ control: String) throws -> KeyedClient {
            try KeyedClient(control, as: try #require(keys[name]), of: server.publicKey, in: context)
        }
        var maker = BatchMaker()
        let relayed = maker.next()
        var setup = try client("setup", controls[1])
        for type in StrangerTargets.types {
            var writer = BatchWriter()
            for id in 0..<modelCount {
                let text = Value.text(StrangerTargets.mark(type))
                try writer.append(.merge, stamp: maker.next(), id: "\(id)", fields: ["text": text])
            }
            let batch = writer.finish(origin: "setup", incarnation: relayed, sequence: 1)
            let answer = try setup.answer { .push(rid: $0, topic: .data(type: type), batch: batch) }
            guard case .accepted? = answer.last else { throw CaseFailure("\(answer)") }
        }
        let senders = try controls.map { control in
            var streams: [String: String] = [:]
            // The key that is revoked afterwards comes in as well as the others.
            for name in ["honest", "narrow", "other", "revoked"] {
                var client = try client(name, control)
                let greeting = try client.answer { .hello(rid: $0, version: 1, name: "honest", prefixes: []) }
                guard case .welcome(_, _, _, let stream, _, _, _, _)? = greeting.last else {
                    throw CaseFailure("\(name) is not let in: \(greeting)")
                }
                if name != "revoked" { streams[name] = stream }
            }
            let starts = control == controls[0] ? ["accounts": start] : ["setup": relayed]
            return StrangerTargets.Sender(control: control, streams: streams, starts: starts)
        }
        let requests = [
            ControlRequest.hello(rid: 1, version: 1, name: "stranger", prefixes: [Topic.dataPrefix]),
            .fetch(rid: 2, type: "Secret", ids: ["1", "2"]),
            .push(
                rid: 3, topic: .data(type: "Open"),
                batch: try maker.batch("Open", "stranger", of: "setup", start: relayed, sequence: 2)),
        ]
        let bytes = try StrangerBytes(
            of: try #require(keys["honest"]), to: server.publicKey, requests: requests.map { $0.encode() })
        for endpoint in senders.flatMap({ [$0.control] + $0.streams.values }) { try bytes.requireWelcome(at: endpoint) }
        return StrangerTargets(server: server, senders: senders, keys: keys, bytes: bytes)
    }
}

/// A client that does nothing wrong: it publishes, pushes, asks, and listens to both senders.
private struct HonestClient: Sendable {
    let keys: Curve.KeyPair
    let server: Curve.PublicKey
    let controls: [String]
    let publisher: Publisher
    let subscriber: Subscriber
    /// The start of what it pushes.
    let start: UInt64

    /// Needs all of that to work, over new connections and over those that stand.
    func beServed(_ number: Int64) async throws {
        try publisher.merge("Pulse", "published", ["n": .int(number)])
        try await SocketThread.run(named: "honest") {
            let context = try Context()
            var maker = BatchMaker()
            var writer = BatchWriter()
            try writer.append(.merge, stamp: maker.next(), id: "pushed", fields: ["n": .int(number)])
            let batch = writer.finish(origin: "honest", incarnation: start, sequence: UInt64(number))
            for (index, control) in controls.enumerated() {
                var client = try KeyedClient(control, as: keys, of: server, in: context)
                let found = try client.answer { .fetch(rid: $0, type: "Secret", ids: ["1", "2", "none"]) }
                guard RightsMatrix.Answer(found) == .records(["Secret": ["1", "2"]]) else {
                    throw CaseFailure("the honest client fetches \(found)")
                }
                guard index == 1 else { continue }
                let pushed = try client.answer { .push(rid: $0, topic: .data(type: "Pulse"), batch: batch) }
                guard case .accepted? = pushed.last else { throw CaseFailure("the honest push gets \(pushed)") }
            }
        }
        let isHere = await eventually {
            subscriber["Pulse", "published"]?["n"] == .int(number)
                && subscriber["Pulse", "pushed"]?["n"] == .int(number)
        }
        try #require(isHere, "service \(number) of the honest client")
    }
}
