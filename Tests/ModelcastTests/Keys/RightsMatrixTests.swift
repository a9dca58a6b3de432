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

/// Who may do what, over real sockets: random grants, and every key by every method for every type, and as every
/// origin. What comes is held against the words of the article on encryption.
@Suite(.timeLimit(.minutes(10))) struct RightsMatrixTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let firstSeed = environment["MODELCAST_SEED"].flatMap { UInt64($0) }
    private static let caseCount = environment["MODELCAST_CASES"].flatMap { Int($0) }

    /// Plays seeds until one has faults, and tells these with the line that plays the seed again.
    /// - Returns: how many cells were checked.
    private static func play(
        _ count: Int, _ location: SourceLocation = #_sourceLocation,
        _ body: (RightsWorld) async throws -> (cellCount: Int, faults: [String])
    ) async throws -> Int {
        let (first, cases) = (firstSeed ?? 1, max(caseCount ?? count, 1))
        print("RightsMatrixTests, line \(location.line): \(cases) cases from MODELCAST_SEED=\(first)")
        var cellCount = 0
        for index in 0..<UInt64(cases) {
            let seed = first &+ index
            let played = try await body(RightsWorld(seed: seed))
            cellCount += played.cellCount
            guard !played.faults.isEmpty else { continue }
            let line = "MODELCAST_SEED=\(seed) MODELCAST_CASES=1 swift test --filter RightsMatrixTests"
            let shown = played.faults.prefix(20).joined(separator: "\n")
            Issue.record(
                "seed \(seed): \(played.faults.count) faults\n\(shown)\nrun it again with: \(line)",
                sourceLocation: location)
            break
        }
        print("RightsMatrixTests, line \(location.line): \(cellCount) cells")
        return cellCount
    }

    // MARK: Clients

    @Test func `each key gets by each method what its grant says, and the rest looks like what does not exist`()
        async throws
    {
        let cellCount = try await Self.play(3) { world in
            let publisher = try Self.publisher(of: world)
            let relay = try Self.relay(of: world)
            return try await running(publisher) { publishing in
                try await during(relay) { relay in
                    let relaying = try await relay.boundEndpoints
                    return try await SocketThread.run(named: "matrix") {
                        var matrix = try RightsMatrix(world)
                        try Self.fill(&matrix, publisher, publishing.control, relay, relaying.control)
                        return (matrix.cellCount, matrix.faults)
                    }
                }
            }
        }
        #expect(cellCount >= 3_000 || Self.caseCount != nil)
    }

    /// How many keys of a seed listen to streams besides the reader, which takes longer than to ask.
    private static let listenerCount = 7

    private static func fill(
        _ matrix: inout RightsMatrix, _ publisher: Publisher, _ publishing: String, _ relay: Relay, _ relaying: String
    ) throws {
        let world = matrix.world
        var maker = BatchMaker()
        func start() -> UInt64 { publisher.core.withLock { $0.origin.incarnation } }
        let name = RightsWorld.publisherName
        var asked = AskedSender(
            name: name, control: publishing, cache: publisher.cache, types: [name: world.published], ids: [:],
            starts: [name: start()], partitions: world.partitions)
        for type in world.published { asked.ids[type] = Set(writtenIDs) }
        var relayed = AskedSender(
            name: RightsWorld.relayName, control: relaying, cache: relay.cache, types: [:], ids: [:], starts: [:])
        var setup = try matrix.client(of: relayed, world.grants[0])
        var (sequence, writeCount): (UInt64, Int64) = (1, 1)
        /// Writes all that the world has to the relay, for the first time or once more.
        func push() throws {
            for (origin, types) in world.pushed {
                let start = relayed.starts[origin] ?? maker.next()
                for type in types {
                    let batch = try maker.batch(type, "of-\(origin)", of: origin, start: start, sequence: sequence)
                    let answer = try setup.answer { .push(rid: $0, topic: .data(type: type), batch: batch) }
                    guard case .accepted? = answer.last else { throw CaseFailure("\(answer)") }
                    relayed.note(type, "of-\(origin)", of: origin, start: start)
                }
            }
            sequence += 1
        }
        try push()
        for grant in world.grants {
            try matrix.read(asked, as: grant)
            try matrix.read(relayed, as: grant)
        }
        let listeners = world.grants.shuffled(using: &matrix.generator).filter { $0.name != "reader" }
        for grant in world.grants.filter({ $0.name == "reader" }) + listeners.prefix(listenerCount) {
            try matrix.listen(to: asked, as: grant) {
                // A write that changes nothing is not sent.
                writeCount += 1
                for type in world.published { try publisher.merge(type, "again", RightsWorld.fields(type, writeCount)) }
            }
            try matrix.listen(to: relayed, as: grant, write: push)
        }
        for grant in world.grants {
            try matrix.push(&asked, as: grant, &maker)
            try matrix.push(&relayed, as: grant, &maker)
            try matrix.pushTransactions(&relayed, as: grant, &maker)
        }
        for grant in world.grants {
            var client = try matrix.client(of: relayed, grant)
            try matrix.greet(relayed, as: grant, by: &client)
            try matrix.copy(relayed, as: grant, by: &client)
        }
        try matrix.report(asked, start: start)
    }

    private static let writtenIDs = [RightsWorld.firstID, "2", "gone", "again"]

    private static func publisher(of world: RightsWorld) throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: RightsWorld.publisherName, endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.partitions = world.partitions
        configuration.security = Security(keys: world.server, access: try world.access)
        let publisher = try Publisher(configuration, logger: silent)
        // One batch of each type, which a replay brings again.
        _ = try publisher.batch { writes in
            for type in world.published.sorted() {
                for id in writtenIDs { try writes.merge(type, id, RightsWorld.fields(type)) }
                try writes.delete(type, "gone")
            }
        }
        return publisher
    }

    private static func relay(of world: RightsWorld) throws -> Relay {
        var configuration = RelayConfiguration(
            name: RightsWorld.relayName, endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: [])
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.security = Security(keys: world.server, access: try world.access)
        return try Relay(configuration, logger: silent)
    }

    // MARK: Servers

    @Test func `a server is believed on what its key may write or hand on, and on nothing else`() async throws {
        let cellCount = try await Self.play(2) { world in
            var generator = world.generator
            var origins = RightsWorld.origins
            let publishers = try world.grants.shuffled(using: &generator).prefix(origins.count).map { grant in
                // One of the origins that it may be, where there is one left.
                let fitting = origins.filter { origin in RightsWorld.types.contains { grant.writes($0, as: origin) } }
                let origin = (fitting.isEmpty ? origins : fitting).randomElement(using: &generator) ?? "o"
                origins.removeAll { $0 == origin }
                return try Self.publisher(named: origin, under: grant, readBy: world.server)
            }
            return try await Self.serving(publishers) { endpoints in
                try await Self.listen(to: publishers, at: endpoints, in: world)
            }
        }
        #expect(cellCount >= 200 || Self.caseCount != nil)
    }

    fileprivate struct GrantedPublisher: Sendable {
        let grant: WrittenGrant
        let publisher: Publisher

        var name: String { publisher.configuration.name }

        /// Writes each type, those last on which the publisher is believed: what is not believed comes before them.
        func write(_ id: String) throws {
            let types = RightsWorld.types.filter { !grant.speaks(for: name, of: $0) }
            for type in types + RightsWorld.types.filter({ grant.speaks(for: name, of: $0) }) {
                try publisher.merge(type, "\(name)-\(id)", RightsWorld.fields(type))
            }
        }
    }

    private static func publisher(
        named name: String, under grant: WrittenGrant, readBy reader: Curve.KeyPair
    ) throws -> GrantedPublisher {
        var configuration = PublisherConfiguration(
            name: name, endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.security = Security(keys: grant.keys, clients: [reader.publicKey])
        let granted = GrantedPublisher(grant: grant, publisher: try Publisher(configuration, logger: silent))
        try granted.write("early")
        return granted
    }

    private static func serving<R: Sendable>(
        _ publishers: [GrantedPublisher], _ body: @escaping @Sendable ([String]) async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for granted in publishers { group.addTask { try await granted.publisher.run() } }
            var endpoints: [String] = []
            for granted in publishers { endpoints.append(try await granted.publisher.boundEndpoints.control) }
            let result = try await body(endpoints)
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
    }

    private static func listen(
        to publishers: [GrantedPublisher], at endpoints: [String], in world: RightsWorld
    ) async throws -> (cellCount: Int, faults: [String]) {
        var configuration = SubscriberConfiguration(name: "reader", publishers: endpoints)
        let keys = publishers.map(\.grant.keys.publicKey)
        configuration.security = Security(
            keys: world.server, serversByEndpoint: Dictionary(uniqueKeysWithValues: zip(endpoints, keys)),
            access: try world.access)
        return try await during(Subscriber(configuration, logger: silent)) { reader in
            try await reader.waitUntilLive()
            var matrix = try await SocketThread.run(named: "matrix") { try RightsMatrix(world) }
            for granted in publishers { matrix.check(granted, "early", reader) }
            let denied = reader.status.counters[.deniedMessages]
            for granted in publishers { try granted.write("later") }
            for granted in publishers {
                let last = RightsWorld.types.last { granted.grant.speaks(for: granted.name, of: $0) }
                // The count alone tells that something has come from one that is believed on nothing.
                let isHere = await eventually {
                    last.map { reader.cache[$0, "\(granted.name)-later"] != nil }
                        ?? (reader.status.counters[.deniedMessages] > denied)
                }
                #expect(isHere, "seed \(world.seed): nothing has come from \(granted.name)")
                matrix.check(granted, "later", reader)
            }
            return (matrix.cellCount, matrix.faults)
        }
    }

    // MARK: What is open

    @Test func `a replay tells nothing of an origin of which nothing may be read`() async throws {
        var setup = WrittenGrant(name: "setup", keys: try Curve.KeyPair())
        (setup.published, setup.origins) = (["*"], ["*"])
        var asker = WrittenGrant(name: "asker", keys: try Curve.KeyPair())
        asker.subscribed = ["A"]
        let (server, both) = (try Curve.KeyPair(), [setup, asker])
        var configuration = RelayConfiguration(
            name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: [])
        configuration.security = Security(
            keys: server, access: Access(try Grants(parsing: both.map(\.text).joined(separator: "\n"))))
        let answers = try await during(Relay(configuration, logger: silent)) { relay in
            let control = try await relay.boundEndpoints.control
            return try await SocketThread.run(named: "asker") {
                var maker = BatchMaker()
                let (context, start) = (try Context(), maker.next())
                var setup = try KeyedClient(control, as: both[0].keys, of: server.publicKey, in: context)
                let batch = try maker.batch("B", "1", of: "hidden", start: start)
                let pushed = try setup.answer { .push(rid: $0, topic: .data(type: "B"), batch: batch) }
                // The type may be read, and no origin has written it.
                var asker = try KeyedClient(control, as: both[1].keys, of: server.publicKey, in: context)
                let replays = try ["ghost", "hidden"].map { origin in
                    try asker.answer {
                        .replay(
                            rid: $0, origin: origin, incarnation: start, topic: .data(type: "A"), first: 1, last: 1)
                    }
                }
                return ([pushed] + replays).map(RightsMatrix.Answer.init)
            }
        }
        #expect(answers.dropLast() == [.accepted, .refused(.unknownOrigin)])
        #expect(answers.last == .refused(.unknownOrigin))
    }

    @Test func `the origins of one line are those of its types, and not of another line's`() async throws {
        let keys = try Curve.KeyPair().publicKey.z85
        let grants = try Grants(parsing: "grant \(keys) job publish:A origin=a\ngrant \(keys) job publish:B origin=b")
        let rights = try #require(grants[keys]).rights
        #expect(rights.mayWrite("A", as: "a") && rights.mayWrite("B", as: "b"))
        #expect(!rights.mayWrite("A", as: "b") && !rights.mayWrite("B", as: "a"))
    }
}

extension RightsMatrix {
    /// Holds what a subscriber took from a publisher against the publisher's grant.
    fileprivate mutating func check(
        _ granted: RightsMatrixTests.GrantedPublisher, _ id: String, _ reader: Subscriber
    ) {
        for type in RightsWorld.types {
            let isHere = reader.cache[type, "\(granted.name)-\(id)"] != nil
            let method = "what a subscriber takes from a publisher named \(granted.name)"
            check(granted.grant, method, type, isHere, granted.grant.speaks(for: granted.name, of: type))
        }
    }
}
