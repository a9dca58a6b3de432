import TestSupport
import Testing
import ZeroMQ

@testable import Modelcast

@Suite(.timeLimit(.minutes(15))) struct BadInputTests {
    @Test func `bad names and values are refused with what is wrong, and nothing changes`() throws {
        let publisher = try Publisher(
            PublisherConfiguration(name: "p", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: silent)
        let bad: [(String, String, Fields, String)] = [
            ("9User", "1", ["a": 1], "type"),
            ("User", "", ["a": 1], "id"),
            ("User", String(repeating: "x", count: 256), ["a": 1], "256"),
            ("User", "1", [String(repeating: "f", count: 129): 1], "field"),
            ("User", "1", ["a": .text(String(repeating: "x", count: 300_000))], "a"),
        ]
        for (type, id, fields, hint) in bad {
            let error = #expect(throws: ModelcastError.self) { try publisher.merge(type, id, fields) }
            #expect(error?.code == .badInput)
            #expect(error?.message.contains(hint) == true)
        }
        #expect(publisher.cache.count(of: "User") == 0)
    }

    @Test func `an endpoint that other machines can reach must be allowed`() throws {
        let endpoints = try SenderEndpoints(control: "tcp://0.0.0.0:7401")
        let error = #expect(throws: ModelcastError.self) {
            try Publisher(PublisherConfiguration(name: "p", endpoints: endpoints), logger: silent)
        }
        #expect(error?.message.contains("allowsRemote") == true)
        var allowed = PublisherConfiguration(name: "p", endpoints: endpoints)
        allowed.allowsRemote = true
        _ = try Publisher(allowed, logger: silent)
    }

    @Test(arguments: ["", "127.0.0.1:7000", "tcp://127.0.0.1", "tcp://127.0.0.1:0", "udp://127.0.0.1:1", "inproc://x"])
    func `what is not an endpoint is refused`(text: String) {
        let error = #expect(throws: ModelcastError.self) { try SenderEndpoints(control: text) }
        #expect(error?.code == .endpoint)
    }

    @Test func `a port that is taken is reported by run and to whoever waits for the endpoints`() async throws {
        let first = try Publisher(
            PublisherConfiguration(name: "p", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: silent)
        try await running(first) { taken in
            let second = try Publisher(
                PublisherConfiguration(
                    name: "q", endpoints: try SenderEndpoints(control: taken.control, stream: taken.stream)),
                logger: silent)
            await #expect(throws: ModelcastError.self) { try await second.run() }
            await #expect(throws: ModelcastError.self) { try await second.boundEndpoints }
        }
    }

    @Test func `a publisher that has stopped refuses to publish`() async throws {
        let publisher = try Publisher(
            PublisherConfiguration(name: "p", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: silent)
        try await running(publisher) { _ in }
        let error = #expect(throws: ModelcastError.self) { try publisher.merge("User", "1", ["a": 1]) }
        #expect(error?.code == .stopped)
    }

    /// What a write is refused with; nil where it is not.
    private static func code(_ write: () throws -> Any) -> ModelcastError.Code? {
        do {
            _ = try write()
            return nil
        } catch {
            return (error as? ModelcastError)?.code
        }
    }

    @Test func `a write that finds the outbox full throws, as a batch and a transaction do, and nothing is changed`()
        throws
    {
        var configuration = PublisherConfiguration(
            name: "p", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.outboxByteCount = 1_000
        let publisher = try Publisher(configuration, logger: silent)
        let codes = (0..<100).map { id in
            Self.code { try publisher.merge("User", "\(id)", ["text": "some text to fill it"]) }
        }
        let refused = codes.count { $0 == .outboxFull }
        #expect(refused > 0)
        #expect(publisher.cache.count(of: "User") == 100 - refused)
        #expect(publisher.isOutboxFull)
        let batch = Self.code { try publisher.batch { try $0.merge("User", "more", ["a": 1]) } }
        let transaction = Self.code { try publisher.transaction { try $0.merge("User", "more", ["a": 1]) } }
        #expect((batch, transaction) == (.outboxFull, .outboxFull))
        #expect(publisher.cache["User", "more"] == nil)
    }

    @Test func `frames of somebody else are dropped and counted, and the subscriber lives on`() async throws {
        let sender = try FakeSender()
        let topic = Array("m/User/".utf8)
        // On the stream: no batch, one frame, three frames, a topic that is none. On control: no reply, two frames.
        let garbage: [[[UInt8]]] = [
            [topic, [0]], [topic, []], [topic, [0x9F, 0xFF]], [topic], [topic, [1], [2]], [Array("m/9/".utf8), [0]],
            [Array("h/fake".utf8), [0xA0]],
        ]
        let replies: [[[UInt8]]] = [[[0]], [[]], [[0x80], [0x80]]]
        try await subscribing(to: [sender.control]) { subscriber in
            try await subscriber.waitUntilLive()
            for frames in garbage { sender.send(frames) }
            for frames in replies { sender.reply(frames) }
            sender.send(try FakeSender.batch(type: "User", id: "1", ["age": 7]))
            #expect(await eventually { subscriber["User", "1"]?["age"] == 7 })
            let countMin = UInt64(garbage.count + replies.count)
            let isCounted = await eventually { subscriber.status.counters[.malformedFrames] >= countMin }
            #expect(isCounted, "\(subscriber.status.counters.nonZero)")
            #expect(subscriber.status.counters[.malformedFrames] == countMin)
            #expect(subscriber.status.isLive)
        }
    }

    @Test func `requests of somebody else are refused and counted, and the publisher serves on`() async throws {
        try await withPair { publisher, subscriber in
            let endpoints = try await publisher.boundEndpoints
            let count = try sendGarbage(to: endpoints.control)
            #expect(await eventually { publisher.status.counters[.malformedFrames] == count })
            try publisher.merge("User", "1", ["age": 1])
            #expect(await eventually { subscriber["User", "1"] != nil })
            // Counted by the reason, and the publisher tells.
            let status = publisher.status
            #expect(status.counters[.requestsMalformed] == count)
            #expect(status.counters[.requestsRefused] == count)
            // What it last reported; its update may be here before the report that it is live.
            #expect(await eventually { publisher.status.peers.contains { $0.name == "subscriber" && $0.isLive } })
            #expect(status.replayByteCount > 0)
        }
    }

    @Test func `who pushes to a publisher or a subscriber is refused, and nothing changes`() async throws {
        let publisher = try Publisher(
            PublisherConfiguration(name: "p", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: silent)
        try await running(publisher) { endpoints in
            var configuration = SubscriberConfiguration(name: "s", publishers: [endpoints.control])
            configuration.control = "tcp://127.0.0.1:*"
            try await during(Subscriber(configuration, logger: silent)) { subscriber in
                for relay in [endpoints.control, try await subscriber.boundControl] {
                    let job = try Publisher(
                        PublisherConfiguration(name: "job", pushingTo: [relay]), logger: silent)
                    try job.merge("User", "1", ["age": 1])
                    try await during(job) { job in
                        _ = await #expect(throws: ModelcastError.self) { try await job.waitUntilAcknowledged() }
                    }
                }
                #expect(subscriber["User", "1"] == nil)
                #expect(publisher.status.counters[.requestsDenied] > 0)
            }
        }
    }

    @Test func `one question gets one answer`() async throws {
        try await withPair { publisher, _ in
            try publisher.merge("User", "1", ["age": 1])
            let client = try ControlClient(endpoint: try await publisher.boundEndpoints.control)
            #expect(try await client.welcome().name == "publisher")
            #expect(try await client.fetch("User", ["1", "2"]).map(\.id) == ["1"])
            let digests = try await client.digests()
            #expect(digests.map(\.type) == ["User"])
            #expect(digests.first?.digests.total == publisher.cache.digest(of: "User"))
        }
    }

    @Test func `any number of ids is fetched, in as many requests as their number and size need`() async throws {
        try await withPair { publisher, _ in
            let text = Value.text(String(repeating: "x", count: 10_000))
            for id in 0..<3_000 { try publisher.merge("User", "\(id)", id < 700 ? ["text": text] : ["n": 1]) }
            let client = try ControlClient(
                endpoint: try await publisher.boundEndpoints.control, timeout: .seconds(30))
            let ids = (0..<3_000).map { "\($0)" }
            #expect(Set(try await client.fetch("User", ids + ["none"]).map(\.id)) == Set(ids))
        }
    }

    @Test func `nobody at the endpoint is told within the time-out`() async throws {
        let folder = try TemporaryDirectory()
        let client = try ControlClient(endpoint: "ipc://\(folder.path("nobody"))", timeout: .milliseconds(100))
        let error = await #expect(throws: ModelcastError.self) { try await client.welcome() }
        #expect(error?.code == .timeout)
    }
}

/// Sends what no replica would.
/// - Returns: how many messages.
private func sendGarbage(to endpoint: String) throws -> UInt64 {
    let socket = try Socket(.dealer, in: Context())
    try socket.set(.linger, .seconds(1))
    try socket.connect(endpoint)
    let texts = ["", "x", "\u{FFFF}", String(repeating: "[", count: 1000)]
    for text in texts { _ = try socket.send(Message(text)) }
    _ = try socket.send(Message("two"), more: true)
    _ = try socket.send(Message("frames"))
    return UInt64(texts.count + 1)
}
