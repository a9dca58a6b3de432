import Foundation
import Logging
import ModelCache
import ModelWire
import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

// example: security
/// A subscriber that speaks to the publisher whose public key is in a file, and to nobody in its place.
func secureSubscriber(of control: String, keys folder: String, logger: Logger) throws -> Subscriber {
    var configuration = SubscriberConfiguration(name: "billing", publishers: [control])
    configuration.security = Security(
        keys: try KeyFile.keyPair(at: "\(folder)/billing.key"),
        server: try KeyFile.publicKeys(at: "\(folder)/accounts.pub").first)
    return try Subscriber(configuration, logger: logger)
}
// end example

/// Keys, over real sockets: who is let in, who is not, and what either side says of it.
@Suite(.timeLimit(.minutes(15))) struct SecurityTests {
    /// Everybody's pair of keys.
    private struct Ring: Sendable {
        let publisher: Curve.KeyPair
        let relay: Curve.KeyPair
        let subscriber: Curve.KeyPair
        let stranger: Curve.KeyPair

        init() throws {
            (publisher, relay) = (try Curve.KeyPair(), try Curve.KeyPair())
            (subscriber, stranger) = (try Curve.KeyPair(), try Curve.KeyPair())
        }

        /// The publisher's side: the relay and the subscriber may come in.
        var serving: Security { Security(keys: publisher, clients: [relay.publicKey, subscriber.publicKey]) }
        /// The subscriber's side, of the publisher.
        var reading: Security { Security(keys: subscriber, server: publisher.publicKey) }
    }

    private static func publisher(
        _ security: Security?, at control: String = "tcp://127.0.0.1:*", stream: String? = nil, log: Logger = silent
    ) throws -> Publisher {
        var configuration = PublisherConfiguration(
            name: "publisher", endpoints: try SenderEndpoints(control: control, stream: stream))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.security = security
        return try Publisher(configuration, logger: log)
    }

    private static func subscriber(
        of control: String, _ security: Security?, log: Logger = silent
    ) throws -> Subscriber {
        var configuration = SubscriberConfiguration(name: "subscriber", publishers: [control])
        configuration.security = security
        return try Subscriber(configuration, logger: log)
    }

    @Test func `publisher, relay and subscribers with keys hold the same`() async throws {
        let ring = try Ring()
        try await running(Self.publisher(ring.serving)) { endpoints in
            var configuration = RelayConfiguration(
                name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"),
                publishers: [endpoints.control])
            configuration.security = Security(
                keys: ring.relay, clients: [ring.subscriber.publicKey], server: ring.publisher.publicKey)
            try await during(Relay(configuration, logger: silent)) { relay in
                let control = try await relay.boundEndpoints.control
                var both = SubscriberConfiguration(name: "subscriber", publishers: [control, endpoints.control])
                both.security = Security(
                    keys: ring.subscriber, server: ring.publisher.publicKey,
                    serversByEndpoint: [control: ring.relay.publicKey])
                try await during(Subscriber(both, logger: silent)) { subscriber in
                    try await subscriber.waitUntilLive()
                    let writer = try Self.publisherWriting(to: control, ring)
                    try await during(writer) { writer in
                        for id in 0..<500 { try writer.merge("User", "\(id)", ["n": .int(Int64(id))]) }
                        #expect(await eventually { subscriber.cache.count(of: "User") == 500 })
                        #expect(subscriber.cache.digest(of: "User") == relay.cache.digest(of: "User"))
                    }
                    #expect(subscriber.status.isLive)
                }
                #expect(relay.status.counters[.refusedClients] == 0)
            }
        }
    }

    /// A job that pushes to the relay under the subscriber's key.
    private static func publisherWriting(to relay: String, _ ring: Ring) throws -> Publisher {
        var configuration = PublisherConfiguration(name: "job", pushingTo: [relay])
        configuration.security = Security(keys: ring.subscriber, server: ring.relay.publicKey)
        return try Publisher(configuration, logger: silent)
    }

    @Test func `what is published reaches a subscriber with keys, also after a restart of the publisher`() async throws
    {
        let (ring, folder) = (try Ring(), try TemporaryDirectory())
        let control = "ipc://\(folder.path("c"))"
        let subscriber = try Self.subscriber(of: control, ring.reading)
        try await during(subscriber) { subscriber in
            for start in 1...3 {
                let publisher = try Self.publisher(ring.serving, at: control)
                try publisher.merge("User", "1", ["start": .int(Int64(start))])
                try await running(publisher) { _ in
                    #expect(await eventually { subscriber["User", "1"]?["start"] == .int(Int64(start)) })
                    #expect(await eventually { subscriber.status.isLive })
                    #expect(publisher.status.counters[.refusedClients] == 0)
                }
            }
        }
    }

    /// How a client differs from what it should be, and what it is told.
    enum Fault: CaseIterable, Sendable {
        case noKeys, unknownKey, wrongServerKey, serverWithoutKeys

        var hint: String {
            switch self {
            case .noKeys: "--key"
            case .unknownKey: "--client-keys"
            case .wrongServerKey: "--server-key"
            case .serverWithoutKeys: "it has no keys"
            }
        }
    }

    private static func security(_ fault: Fault, _ ring: Ring) -> Security? {
        switch fault {
        case .noKeys: nil
        case .unknownKey: Security(keys: ring.stranger, server: ring.publisher.publicKey)
        case .wrongServerKey: Security(keys: ring.subscriber, server: ring.stranger.publicKey)
        case .serverWithoutKeys: ring.reading
        }
    }

    @Test(arguments: Fault.allCases)
    func `who is not trusted gets nothing, is told why, and is counted`(_ fault: Fault) async throws {
        let ring = try Ring()
        let (served, said) = (RecordedLog(), RecordedLog())
        let hasKeys = fault != .serverWithoutKeys
        let publisher = try Self.publisher(hasKeys ? ring.serving : nil, log: served.makeLogger())
        try publisher.merge("User", "1", ["age": 1])
        try await running(publisher) { endpoints in
            let security = Self.security(fault, ring)
            let subscriber = try Self.subscriber(of: endpoints.control, security, log: said.makeLogger())
            try await during(subscriber) { subscriber in
                let warning = "no trust between this process and a sender"
                #expect(
                    await eventually {
                        subscriber.status.senders.first?.lastError?.contains(fault.hint) == true
                            && said.entries.contains { $0.message == warning }
                    }, "\(subscriber.status)")
                // It goes on trying, and each reason is told once.
                if hasKeys { #expect(await eventually { publisher.status.counters[.refusedClients] >= 2 }) }
                let entry = try #require(said.entries.first { $0.message == warning })
                #expect(entry.level == .warning && entry.metadata["reason"]?.contains(fault.hint) == true)
                let reasons = said.entries.filter { $0.message == warning }.map { $0.metadata["reason"] }
                #expect(Set(reasons).count == reasons.count)
                #expect(subscriber.cache.count(of: "User") == 0)
                #expect(subscriber.status.senders.first?.state == .connecting)
            }
            // Asking once fails at once, not when the time is up.
            let client = try ControlClient(endpoint: endpoints.control, timeout: .seconds(60), security: security)
            let error = await #expect(throws: ModelcastError.self) { try await client.fetch("User", ["1"]) }
            #expect(error?.code == .security && error?.message.contains(fault.hint) == true)
        }
        guard hasKeys else { return }
        let told = try #require(served.entries.first { $0.message == "clients were refused" })
        #expect(told.level == .warning && told.metadata["reason"] != nil)
        if fault == .unknownKey { #expect(told.metadata["key"] == ring.stranger.publicKey.z85) }
    }

    @Test func `a client that goes straight to the stream gets nothing`() async throws {
        let ring = try Ring()
        let publisher = try Self.publisher(ring.serving)
        try await running(publisher) { endpoints in
            let isRefused = try await SocketThread.run(named: "test") {
                let socket = try Socket(.sub, in: Context())
                try Security.connect(socket, ring.stranger, to: ring.publisher.publicKey)
                try socket.subscribe(to: "")
                var watch = try HandshakeWatch(socket, Security(keys: ring.stranger))
                try socket.connect(endpoints.stream)
                var poller = try Poller()
                _ = try poller.add(socket)
                try watch.add(to: &poller)
                while true {
                    _ = try poller.wait(timeout: .seconds(30))
                    if try socket.receive() != nil { return false }
                    switch try watch.look() {
                    case .pending: continue
                    case .succeeded, .lost: return false
                    case .failed: return true
                    }
                }
            }
            #expect(isRefused)
            #expect(await eventually { publisher.status.counters[.refusedClients] == 1 })
        }
    }

    @Test func `a push needs a key that the relay allows`() async throws {
        let ring = try Ring()
        var configuration = RelayConfiguration(
            name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: [])
        configuration.security = Security(keys: ring.relay, clients: [ring.subscriber.publicKey])
        try await during(Relay(configuration, logger: silent)) { relay in
            let control = try await relay.boundEndpoints.control
            try await during(Self.publisherWriting(to: control, ring)) { job in
                try job.merge("User", "1", ["age": 1])
                try await job.waitUntilAcknowledged()
            }
            #expect(relay.cache["User", "1"]?["age"] == 1)

            var strange = PublisherConfiguration(name: "stranger", pushingTo: [control])
            strange.security = Security(keys: ring.stranger, server: ring.relay.publicKey)
            try await during(Publisher(strange, logger: silent)) { job in
                try job.merge("User", "2", ["age": 2])
                #expect(
                    await eventually {
                        job.pushProgress?.relays.first?.lastError?.contains("--client-keys") == true
                    }, "\(String(describing: job.pushProgress))")
                #expect(await eventually { relay.status.counters[.refusedClients] >= 2 })
                #expect(job.pushProgress?.isAcknowledged == false)
            }
            #expect(relay.cache["User", "2"] == nil)
        }
    }

    @Test func `a subscriber that can be asked lets in known keys only`() async throws {
        let ring = try Ring()
        try await running(Self.publisher(ring.serving)) { endpoints in
            var configuration = SubscriberConfiguration(name: "subscriber", publishers: [endpoints.control])
            configuration.control = "tcp://127.0.0.1:*"
            configuration.security = ring.reading
            configuration.security?.clients = [ring.relay.publicKey]
            try await during(Subscriber(configuration, logger: silent)) { subscriber in
                try await subscriber.waitUntilLive()
                let control = try await subscriber.boundControl
                let known = Security(keys: ring.relay, server: ring.subscriber.publicKey)
                #expect(try await ControlClient(endpoint: control, security: known).welcome().name == "subscriber")
                let unknown = Security(keys: ring.stranger, server: ring.subscriber.publicKey)
                let error = await #expect(throws: ModelcastError.self) {
                    try await ControlClient(endpoint: control, security: unknown).welcome()
                }
                #expect(error?.code == .security)
            }
        }
    }

    @Test func `the subscriber of the guide reads its keys from files`() async throws {
        let (ring, folder) = (try Ring(), try TemporaryDirectory())
        for (name, text) in [
            ("billing.key", KeyFile.text(secret: ring.subscriber.secretKey)),
            ("accounts.pub", KeyFile.text(public: ring.publisher.publicKey, name: "accounts")),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(name))
        }
        try await running(Self.publisher(ring.serving)) { endpoints in
            let subscriber = try secureSubscriber(of: endpoints.control, keys: folder.path(""), logger: silent)
            try await during(subscriber) { try await $0.waitUntilLive() }
        }
    }

    @Test func `where a key that should be refused comes in nothing is served`() async throws {
        let ring = try Ring()
        let failure = try await SocketThread.run(named: "test") {
            #expect(throws: ZeroMQError.self) {
                var poller = try Poller()
                _ = try ClientGate(
                    ring.serving, in: Context(), poller: &poller, logger: silent, stranger: ring.subscriber)
            }
        }
        #expect(failure?.call == "self-test of CURVE")
    }

    @Test func `with keys other machines may be let in, without them only if that is allowed`() throws {
        let ring = try Ring()
        _ = try Self.publisher(ring.serving, at: "tcp://0.0.0.0:7401")
        #expect(throws: ModelcastError.self) { try Self.publisher(nil, at: "tcp://0.0.0.0:7401") }
    }

    @Test func `keys that leave out whom to trust are refused with what to do`() throws {
        let ring = try Ring()
        let alone = Security(keys: ring.publisher)
        let serving = #expect(throws: ModelcastError.self) { try Self.publisher(alone) }
        #expect(serving?.code == .configuration && serving?.message.contains("--client-keys") == true)
        for make in [
            { _ = try Self.subscriber(of: "tcp://127.0.0.1:7400", alone) },
            { _ = try ControlClient(endpoint: "tcp://127.0.0.1:7400", security: alone) },
            {
                var configuration = PublisherConfiguration(name: "p", pushingTo: ["tcp://127.0.0.1:7400"])
                configuration.security = alone
                _ = try Publisher(configuration, logger: silent)
            },
        ] as [() throws -> Void] {
            let connecting = #expect(throws: ModelcastError.self) { try make() }
            #expect(connecting?.code == .configuration && connecting?.message.contains("--server-key") == true)
        }
    }

    @Test func `a secret key is in no log, no status and no description`() async throws {
        let (ring, log) = (try Ring(), RecordedLog())
        var texts: [String] = []
        let publisher = try Self.publisher(ring.serving, log: log.makeLogger())
        let statuses = try await running(publisher) { endpoints in
            let subscriber = try Self.subscriber(of: endpoints.control, ring.reading, log: log.makeLogger())
            return try await during(subscriber) { subscriber in
                try await subscriber.waitUntilLive()
                let stranger = Security(keys: ring.stranger, server: ring.publisher.publicKey)
                let error = await #expect(throws: ModelcastError.self) {
                    try await ControlClient(endpoint: endpoints.control, security: stranger).welcome()
                }
                return ["\(subscriber.status)", "\(publisher.status)", "\(String(describing: error))"]
            }
        }
        texts += statuses
        texts += log.entries.map { "\($0)" }
        for value in [publisher.configuration as Any, ring.serving, ring] {
            texts.append("\(value)")
            texts.append(String(reflecting: value))
            var dumped = ""
            dump(value, to: &dumped)
            texts.append(dumped)
        }
        for keys in [ring.publisher, ring.subscriber, ring.stranger, ring.relay] {
            let bytes = "\(keys.secretKey.bytes)".dropFirst().dropLast()
            for text in texts {
                #expect(!text.contains(keys.secretKey.z85))
                #expect(!text.contains(bytes))
            }
        }
        #expect(texts.contains { $0.contains(ring.publisher.publicKey.z85) })
    }
}
