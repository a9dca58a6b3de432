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

/// Who may do what, over real sockets: every key, every method, every type, held against a table that is written here.
@Suite(.timeLimit(.minutes(15))) struct GrantsTests {
    /// A process with a key.
    private struct Person: Sendable {
        let name: String
        let words: String
        let reads: Set<String>
        let writes: [(type: String, origin: String)]
        let keys: Curve.KeyPair

        init(
            _ name: String, _ words: String, reads: Set<String> = [], writes: [(type: String, origin: String)] = []
        ) throws {
            (self.name, self.words, self.reads, self.writes) = (name, words, reads, writes)
            keys = try Curve.KeyPair()
        }
    }

    private static let types: Set = ["A", "A.B", "B"]

    private static func people() throws -> [Person] {
        [
            try Person("reader", "subscribe:A", reads: ["A"]),
            try Person("prefix", "subscribe:A*", reads: ["A", "A.B"]),
            try Person(
                "writer", "publish:B origin=job-* origin=writer", reads: ["B"],
                writes: [("B", "job-1"), ("B", "writer")]),
            try Person("relay-a", "relay subscribe:*", reads: types),
            try Person("ops", "operate", reads: types),
            try Person("idle", ""),
        ]
    }

    private static func grants(_ people: [Person]) throws -> Grants {
        try Grants(
            parsing: people.map { "grant \($0.keys.publicKey.z85) \($0.name) \($0.words)" }.joined(separator: "\n"))
    }

    private static func publisher(_ keys: Curve.KeyPair, _ access: Access) throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: "accounts", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.security = Security(keys: keys, access: access)
        return try Publisher(configuration, logger: silent)
    }

    private static func client(of control: String, _ person: Person, _ server: Curve.KeyPair) throws -> ControlClient {
        try ControlClient(
            endpoint: control, security: Security(keys: person.keys, server: server.publicKey))
    }

    @Test func `each key reads what it was granted by every method, and the rest looks like what does not exist`()
        async throws
    {
        let (people, server) = (try Self.people(), try Curve.KeyPair())
        let publisher = try Self.publisher(server, Access(try Self.grants(people)))
        for type in Self.types { for id in 0..<20 { try publisher.merge(type, "\(id)", ["n": .int(Int64(id))]) } }
        try await running(publisher) { endpoints in
            for person in people {
                let client = try Self.client(of: endpoints.control, person, server)
                let welcome = try await client.welcome()
                #expect(Set(welcome.types) == person.reads, "\(person.name)")
                #expect(welcome.name == "accounts")
                let copy = try await client.copy()
                #expect(Set(copy.types) == person.reads, "\(person.name)")
                for type in Self.types.union(["Nothing"]) {
                    let isReadable = person.reads.contains(type)
                    let found = try await client.fetch(type, ["1", "2", "none"])
                    #expect(found.count == (isReadable ? 2 : 0), "\(person.name) \(type)")
                    #expect(copy.count(of: type) == (isReadable ? 20 : 0), "\(person.name) \(type)")
                    let answers = try await Self.ask(client, about: type)
                    #expect(answers.digests.contains { $0 != 0 } == isReadable, "\(person.name) \(type)")
                    #expect(answers.types.isSubset(of: person.reads), "\(person.name) \(type)")
                    let unknown = person.reads == Self.types ? "unknown topic" : "unknown origin"
                    #expect(answers.replay == (isReadable ? "frame" : unknown), "\(person.name) \(type)")
                }
            }
        }
    }

    /// The digests of a type, the types that their heads name, and what a replay is answered with.
    private static func ask(
        _ client: ControlClient, about type: String
    ) async throws -> (digests: [UInt64], types: Set<String>, replay: String) {
        try await SocketThread.run(named: "ask") { cancellation in
            var connection = try ControlConnection(client: client, cancellation)
            let start = try #require(try connection.hello().heads.first { $0.origin == "accounts" }).incarnation
            let told = try connection.digests(of: type, bits: 8)
            var replay = ""
            do {
                try connection.ask(
                    .replay(
                        rid: 900, origin: "accounts", incarnation: start, topic: .data(type: type), first: 1, last: 1)
                ) { reply in
                    if case .frame = reply { replay = "frame" }
                    return replay != ""
                }
            } catch let error as ModelcastError {
                let isKnown = error.message.contains("has sent nothing on")
                let isUnknown = error.message.contains("nothing is known here of")
                replay = isKnown ? "unknown topic" : isUnknown ? "unknown origin" : "\(error)"
            }
            return (told.digests, Set(told.heads.flatMap { $0.heads.compactMap(\.topic.type) }), replay)
        }
    }

    @Test func `each key writes the types that it was granted, as the origins that it was granted`() async throws {
        let (people, server) = (try Self.people(), try Curve.KeyPair())
        var configuration = RelayConfiguration(
            name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: [])
        configuration.security = Security(keys: server, access: Access(try Self.grants(people)))
        let origins = ["job-1", "writer", "accounts", "reader"]
        try await during(Relay(configuration, logger: silent)) { relay in
            let control = try await relay.boundEndpoints.control
            for person in people {
                let client = try Self.client(of: control, person, server)
                for type in Self.types.sorted() {
                    for origin in origins {
                        let mayWrite = person.writes.contains { $0.type == type && $0.origin == origin }
                        let id = "\(person.name)-\(origin)"
                        let answer = try await Self.push(type, id, as: origin, to: client)
                        #expect(answer == (mayWrite ? "accepted" : "denied"), "\(person.name) \(type) \(origin)")
                        #expect((relay.cache[type, id] != nil) == mayWrite)
                    }
                }
            }
            let deniedCount = UInt64(people.count * 3 * 4 - 2)
            #expect(await eventually { relay.status.counters[.requestsDenied] == deniedCount })
        }
    }

    /// Pushes one batch of a new start of an origin.
    private static func push(
        _ type: String, _ id: String, as name: String, to client: ControlClient
    ) async throws -> String {
        try await SocketThread.run(named: "push") { cancellation in
            var origin = try Origin(
                configuration: OriginConfiguration(name: name, streamEndpoint: ""), cache: ModelCache(),
                now: Clocks.now(), after: 0)
            _ = try origin.write(.merge, type: type, id: id, fields: EncodedFields(["n": 1]), now: Clocks.now())
            origin.flush()
            var connection = try ControlConnection(client: client, cancellation)
            var answer = "nothing was pushed"
            for case .publish(let topic, let payload) in origin.takeActions() where topic.type != nil {
                do {
                    try connection.ask(.push(rid: 7, topic: topic, batch: payload)) { reply in
                        if case .accepted = reply { answer = "accepted" }
                        return answer == "accepted"
                    }
                } catch let error as ModelcastError {
                    answer = error.message.contains("may not write") ? "denied" : "\(error)"
                }
            }
            return answer
        }
    }

    @Test func `a stream brings a key what it may read, and other grants hold for it as soon as they are there`()
        async throws
    {
        let (people, server) = (try Self.people(), try Curve.KeyPair())
        let access = Access(try Self.grants(people))
        let publisher = try Self.publisher(server, access)
        try await running(publisher) { endpoints in
            var configuration = SubscriberConfiguration(name: "reader", publishers: [endpoints.control])
            configuration.security = Security(keys: people[0].keys, server: server.publicKey)
            let first = try Subscriber(configuration, logger: silent)
            configuration.security = Security(keys: people[4].keys, server: server.publicKey)
            let second = try Subscriber(configuration, logger: silent)
            try await during(first) { reader in
                try await during(second) { ops in
                    try await reader.waitUntilLive()
                    try await ops.waitUntilLive()
                    func write(_ id: String) throws {
                        for type in Self.types { try publisher.merge(type, id, ["n": 1]) }
                    }
                    try write("1")
                    #expect(await eventually { reader.cache["A", "1"] != nil && ops.cache["B", "1"] != nil })
                    #expect(Set(publisher.status.peers.map(\.keyName)) == ["reader", "ops"])
                    // What comes by the stream later than the last of A is not here either.
                    #expect(reader.cache.types == ["A"])
                    // Another right: the reader connects again, and gets the other type, and no more of the first.
                    let key = people[0].keys.publicKey.z85
                    let rest = people.dropFirst().map { "grant \($0.keys.publicKey.z85) \($0.name) \($0.words)" }
                    func grant(_ words: String?) throws {
                        let lines = rest + (words.map { ["grant \(key) reader \($0)"] } ?? [])
                        access.replace(by: try Grants(parsing: lines.joined(separator: "\n")))
                    }
                    try grant("subscribe:B")
                    #expect(await eventually { reader.cache["B", "1"] != nil })
                    try write("2")
                    #expect(await eventually { reader.cache["B", "2"] != nil && ops.cache["A", "2"] != nil })
                    #expect(reader.cache["A", "2"] == nil)
                    // None: it loses its connections, and nobody else does.
                    #expect(await eventually { reader.status.isLive })
                    try grant(nil)
                    #expect(await eventually { reader.status.senders.allSatisfy { $0.state != .live } })
                    try write("3")
                    #expect(await eventually { ops.cache["A", "3"] != nil })
                    #expect(reader.cache["B", "3"] == nil)
                    try grant("subscribe:*")
                    #expect(await eventually { reader.cache["A.B", "3"] != nil })
                    #expect(ops.status.counters[.senderTimeouts] == 0)
                }
            }
        }
    }

    @Test func `a stream lets in the keys that may read just its types, and each gets what it may read`() async throws {
        let (people, server) = (try Self.people(), try Curve.KeyPair())
        let publisher = try Self.publisher(server, Access(try Self.grants(people)))
        let reader = people[0]
        try await running(publisher) { endpoints in
            for type in ["Hidden", "A"] { try publisher.merge(type, "first", ["n": 1]) }
            let stream = try await Self.client(of: endpoints.control, reader, server).welcome().streamEndpoint
            #expect(stream != endpoints.stream)
            let everything = try await Self.client(of: endpoints.control, people[4], server).welcome()
            #expect(everything.streamEndpoint == endpoints.stream)
            // Two keys with the same rights share one, however these are written.
            let idle = try await Self.client(of: endpoints.control, people[5], server).welcome().streamEndpoint
            #expect(![stream, endpoints.stream].contains(idle))
            func listen(_ keys: Curve.KeyPair, to endpoint: String) async throws -> [[UInt8]] {
                try await SocketThread.run(named: "raw") { _ -> [[UInt8]] in
                    try Self.frames(at: endpoint, keys, server.publicKey) { count in
                        for type in ["Hidden", "A"] { try publisher.merge(type, "later", ["n": .int(Int64(count))]) }
                    }
                }
            }
            let received = try await listen(reader.keys, to: stream)
            #expect(received.contains(Topic.data(type: "A").bytes))
            let hidden = Array("Hidden".utf8)
            let leaks = received.filter { frame in
                frame.indices.contains { frame[$0...].starts(with: hidden) }
            }
            #expect(leaks.isEmpty)
            #expect(try await listen(reader.keys, to: endpoints.stream).isEmpty)
            #expect(try await listen(people[5].keys, to: stream).isEmpty)
            #expect(try await listen(people[4].keys, to: stream).isEmpty)
            #expect(try await listen(people[4].keys, to: endpoints.stream).contains(Topic.data(type: "Hidden").bytes))
        }
    }

    /// What somebody receives who subscribes to everything, until there are many frames or it was refused.
    private static func frames(
        at endpoint: String, _ keys: Curve.KeyPair, _ server: Curve.PublicKey, write: (Int) throws -> Void
    ) throws -> [[UInt8]] {
        let socket = try Socket(.sub, in: Context())
        try Security.connect(socket, keys, to: server)
        for prefix in ["", "m/", "m/Hidden/", "m/H", "h/"] { try socket.subscribe(to: prefix) }
        let monitor = try socket.makeMonitor()
        try socket.connect(endpoint)
        var poller = try Poller()
        _ = try poller.add(socket)
        _ = try poller.add(monitor)
        var frames: [[UInt8]] = []
        let deadline = Clocks.now().uptimeMicroseconds + 60_000_000
        // Heads come with each heartbeat; the batch that is looked for is written until it is here.
        while Clocks.now().uptimeMicroseconds < deadline, frames.count <= 60 {
            try write(frames.count)
            _ = try poller.wait(timeout: .milliseconds(100))
            while let message = try socket.receive() { frames.append(message.array) }
            while let event = try monitor.next() {
                if case .handshakeFailed(.refused) = event.kind { return frames }
            }
        }
        return frames
    }

    @Test func `streams for keys that may read some types take the ports that are named, and no others`() async throws {
        let (people, server) = (try Self.people(), try Curve.KeyPair())
        // A relay that has the port first.
        let holder = try Relay(
            RelayConfiguration(name: "r", endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: []),
            logger: silent)
        let holding = Task { try await holder.run() }
        let port = try await holder.boundEndpoints.control
        guard case .tcp(_, let number?) = try Endpoint(port) else { throw CaseFailure("\(port)") }
        var configuration = PublisherConfiguration(
            name: "accounts", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.security = Security(keys: server, access: Access(try Self.grants(people)))
        configuration.security?.streamPorts = number...number
        try await running(Publisher(configuration, logger: silent)) { endpoints in
            func stream(for person: Person) async throws -> String {
                try await Self.client(of: endpoints.control, person, server).welcome().streamEndpoint
            }
            let error = await #expect(throws: ModelcastError.self) { _ = try await stream(for: people[0]) }
            #expect(error?.message.contains("can bind no stream") == true)
            // Who may read everything has the stream that was bound.
            let all = try await stream(for: people[4])
            #expect(all == endpoints.stream)
            holding.cancel()
            try? await holding.value
            var told = ""
            let deadline = ContinuousClock.now + .seconds(60)
            while told.isEmpty, ContinuousClock.now < deadline { told = (try? await stream(for: people[0])) ?? "" }
            #expect(told == port, "\(told)")
            // Another set of types finds no second port.
            await #expect(throws: ModelcastError.self) { _ = try await stream(for: people[5]) }
        }
    }

    @Test func `a file beside the stream's path keeps nobody from a stream, and unused streams make room`() async throws
    {
        let folder = try TemporaryDirectory()
        let server = try Curve.KeyPair()
        // Each may read another type.
        let people = try (0..<StreamServing.narrowedCountMax + 4).map { number in
            try Person("p-\(number)", "subscribe:T\(number)", reads: ["T\(number)"])
        }
        let foreign = URL(fileURLWithPath: folder.path("s-1"))
        try Data("foreign".utf8).write(to: foreign)
        var configuration = PublisherConfiguration(
            name: "accounts",
            endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*", stream: "ipc://\(folder.path("s"))"))
        configuration.security = Security(keys: server, access: Access(try Self.grants(people)))
        try await running(Publisher(configuration, logger: silent)) { endpoints in
            var streams: Set<String> = []
            for person in people {
                streams.insert(try await Self.client(of: endpoints.control, person, server).welcome().streamEndpoint)
            }
            #expect(streams.count == StreamServing.narrowedCountMax)
            #expect(!streams.contains("ipc://\(foreign.path)") && streams.contains("ipc://\(folder.path("s-2"))"))
        }
        #expect(try Data(contentsOf: foreign) == Data("foreign".utf8))
    }

    @Test func `subscriptions without end, or what is none, bring nothing, and keep nobody else from joining`()
        async throws
    {
        let (people, server) = (try Self.people(), try Curve.KeyPair())
        let publisher = try Self.publisher(server, Access(try Self.grants(people)))
        try publisher.merge("A", "1", ["n": 1])
        let idle = people[5]
        try await running(publisher) { endpoints in
            var configuration = SubscriberConfiguration(name: "reader", publishers: [endpoints.control])
            configuration.security = Security(keys: people[0].keys, server: server.publicKey)
            let reader = try Subscriber(configuration, logger: silent)
            let stream = try await Self.client(of: endpoints.control, idle, server).welcome().streamEndpoint
            let frames = try await SocketThread.run(named: "raw") { _ -> [[UInt8]] in
                let context = try Context()
                let socket = try Socket(.xsub, in: context)
                try Security.connect(socket, idle.keys, to: server.publicKey)
                let monitor = try socket.makeMonitor()
                try socket.connect(stream)
                var poller = try Poller()
                _ = try poller.add(monitor)
                let token = try poller.add(socket)
                var (frames, isCut) = ([[UInt8]](), false)
                // Until its connection was ended for what it sends.
                while !isCut {
                    for _ in 0..<200 {
                        for message in [[1] + [UInt8](repeating: 104, count: 300), [2, 120], [1, 0xFF], [1], [0]] {
                            _ = try socket.send(Message(message))
                        }
                        _ = try socket.send(Message([1, 109]), more: true)
                        _ = try socket.send(Message([1, 109]))
                    }
                    _ = try poller.wait(timeout: .milliseconds(20))
                    while let event = try monitor.next() { isCut = isCut || event.kind == .disconnected }
                    while poller.isReadable(token), let message = try socket.receive() { frames.append(message.array) }
                }
                return frames
            }
            #expect(!frames.contains { String(decoding: $0, as: UTF8.self).contains("m/A") })
            try await during(reader) { reader in
                try await reader.waitUntilLive()
                #expect(reader.cache["A", "1"] != nil)
            }
        }
    }

    @Test
    func `a server that was not granted an origin is not believed on it, is named, and is heard when it is granted`()
        async throws
    {
        let (server, own) = (try Curve.KeyPair(), try Curve.KeyPair())
        let key = server.publicKey.z85
        @Sendable func grants(_ words: String) throws -> Grants { try Grants(parsing: "grant \(key) shop \(words)") }
        let access = Access(try grants("publish:A origin=shop"))
        var serving = PublisherConfiguration(
            name: "accounts", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        serving.heartbeatInterval = .milliseconds(50)
        serving.security = Security(keys: server, clients: [own.publicKey])
        let publisher = try Publisher(serving, logger: silent)
        try publisher.merge("A", "1", ["n": 1])
        try publisher.merge("B", "1", ["n": 1])
        try await running(publisher) { endpoints in
            var configuration = SubscriberConfiguration(name: "reader", publishers: [endpoints.control])
            configuration.security = Security(keys: own, server: server.publicKey, access: access)
            try await during(Subscriber(configuration, logger: silent)) { reader in
                try await reader.waitUntilLive()
                try publisher.merge("A", "2", ["n": 1])
                #expect(await eventually { reader.status.counters[.deniedMessages] > 10 })
                #expect(reader.cache.types.isEmpty)
                let told = reader.status.senders.first?.lastError ?? ""
                #expect(told.contains("shop may not speak for accounts"), "\(told)")
                // It may be the origin, and write one of the types.
                access.replace(by: try grants("publish:A origin=accounts"))
                #expect(await eventually { reader.cache["A", "2"] != nil })
                try publisher.merge("B", "2", ["n": 1])
                try publisher.merge("A", "3", ["n": 1])
                #expect(await eventually { reader.cache["A", "3"] != nil })
                #expect(reader.cache.types == ["A"])
                // None: what it says now is dropped, and what is here stays.
                access.replace(by: try Grants(parsing: "grant \(own.publicKey.z85) reader subscribe:*"))
                // Its key has no name any more.
                let denial = "\(key) may not speak"
                #expect(await eventually { reader.status.senders.first?.lastError?.contains(denial) == true })
                try publisher.merge("A", "4", ["n": 1])
                let before = reader.status.counters[.deniedMessages]
                #expect(await eventually { reader.status.counters[.deniedMessages] > before + 5 })
                #expect(reader.cache["A", "4"] == nil && reader.cache["A", "3"] != nil)
            }
            // A publisher takes nothing back from it.
            var recovering = PublisherConfiguration(
                name: "accounts", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
            recovering.security = Security(keys: own, server: server.publicKey, access: access)
            let second = try Publisher(recovering, logger: silent)
            let error = await #expect(throws: ModelcastError.self) {
                _ = try await second.recover(from: [endpoints.control], timeout: .seconds(30))
            }
            #expect(error?.message.contains("grant it relay") == true, "\(String(describing: error))")
        }
    }

    @Test func `a report of one that may only read makes no publisher start anew`() throws {
        let now = Clocks.now()
        var origin = try Origin(
            configuration: OriginConfiguration(name: "accounts", streamEndpoint: ""), cache: ModelCache(), now: now,
            after: 0)
        let start = origin.incarnation
        let later = Heads(origin: "accounts", incarnation: start + 1, stamp: start + 1, heads: [])
        let report = ControlRequest.report(
            rid: 1, report: ReplicaReport(state: "live", applied: [later], counters: [:])
        ).encode()
        func hear(_ words: String) throws {
            let key = try Curve.KeyPair().publicKey.z85
            let grant = try #require(try Grants(parsing: "grant \(key) peer \(words)")[key])
            let grantee = Grantee(name: grant.name, rights: grant.rights)
            origin.receive(ReceivedRequest(report.span, limits: .default, from: grantee), from: [1], now: now)
        }
        try hear("subscribe:*")
        try hear("publish:* origin=*")
        #expect(origin.incarnation == start)
        try hear("relay subscribe:*")
        #expect(origin.incarnation > start)
    }
}
