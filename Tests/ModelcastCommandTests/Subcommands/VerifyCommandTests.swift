import Foundation
@_spi(CacheWriting) import ModelCache
import ModelWire
import Modelcast
import TestSupport
import Testing

/// `modelcast verify` between real processes.
@Suite(.serialized, .timeLimit(.minutes(15))) struct VerifyCommandTests {
    private let folder: TemporaryDirectory
    private var publisherControl: String { "ipc://\(folder.path("p"))" }
    private var relayControl: String { "ipc://\(folder.path("r"))" }
    private var subscriberControl: String { "ipc://\(folder.path("s"))" }

    init() throws { folder = try TemporaryDirectory() }

    private static func lines(_ ids: some Sequence<Int>, age: Int? = nil) -> String {
        ids.map { #"{"id":"\#($0)","age":\#(age ?? $0),"name":"x"}"# + "\n" }.joined()
    }

    /// - Parameter input: its lines; nil to write them later.
    private func publisher(named name: String = "p", at control: String? = nil, input: String?) throws -> RunningCommand
    {
        try RunningCommand(
            ["publish", "--name", name, "--bind", control ?? publisherControl, "--type", "T", "--id-field", "id"],
            input: input)
    }

    private func relay() async throws -> RunningCommand {
        let relay = try RunningCommand(
            ["relay", "--name", "r", "--connect", publisherControl, "--bind", relayControl])
        _ = try await relay.endpoint()
        return relay
    }

    private func verify(_ left: String, _ right: String, _ more: [String] = []) async throws -> (Int32?, RunningCommand)
    {
        let command = try RunningCommand(["verify", "--connect", left, "--against", right] + more)
        return (try await command.exitCode(), command)
    }

    @Test(arguments: [["--limit", "T=100"], ["--prefetch", "ids"], ["--prefetch", "none"]])
    func `two processes are compared in what both hold`(bounds: [String]) async throws {
        let publisher = try publisher(input: Self.lines(0..<500))
        _ = try await publisher.endpoint()
        let subscriber = try RunningCommand(
            ["subscribe", "--connect", publisherControl, "--control", subscriberControl] + bounds)
        let isBound = await eventually { FileManager.default.fileExists(atPath: folder.path("s")) }
        try #require(isBound, "\(subscriber.error)")
        let get = try RunningCommand(
            ["get", "--fetch", "--connect", subscriberControl, "T"] + (0..<50).map { "\($0)" })
        #expect(try await get.exitCode() == 0, "\(get.error)")
        let count = bounds[0] == "--limit" ? 100 : 50
        for (left, right) in [(publisherControl, subscriberControl), (subscriberControl, publisherControl)] {
            for more in [[], ["--values"]] {
                let (code, command) = try await verify(left, right, more)
                #expect(code == 0, "\(command.error)")
                #expect(command.output == "T equal in \(count) models, \(500 - count) are not in the copy\n")
            }
        }
        for command in [subscriber, publisher] {
            command.signal(SIGTERM)
            #expect(try await command.exitCode() == 0)
        }
    }

    @Test func `a publisher, a relay and a subscriber that can be asked hold the same`() async throws {
        let publisher = try publisher(input: Self.lines(0..<500))
        let relay = try await relay()
        let subscriber = try RunningCommand(["subscribe", "--connect", relayControl, "--control", subscriberControl])
        let isTold = await eventually { subscriber.objects.count == 500 }
        try #require(isTold, "\(subscriber.error)")
        for (left, right) in [(publisherControl, relayControl), (subscriberControl, publisherControl)] {
            let (code, command) = try await verify(left, right)
            #expect(code == 0, "\(command.error)")
            #expect(command.output.hasPrefix("T equal "), "\(command.output)")
            #expect(command.output.split(separator: "\n").count == 1)
            let (same, values) = try await verify(left, right, ["--values"])
            #expect(same == 0 && values.output == command.output, "\(values.error)")
        }
        // A subscriber with a control endpoint answers other questions, too.
        let get = try RunningCommand(["get", "--connect", subscriberControl, "T", "7"])
        #expect(try await get.exitCode() == 0, "\(get.error)")
        #expect(get.objects.first?["model"] as? NSDictionary == ["age": 7, "name": "x"])
        for command in [subscriber, relay, publisher] {
            command.signal(SIGTERM)
            #expect(try await command.exitCode() == 0, "\(command.error)")
        }
    }

    @Test func `a difference is exit code 1 and names type, id and field`() async throws {
        let publisher = try publisher(input: nil)
        let relay = try await relay()
        try await listening(to: [publisherControl], control: subscriberControl) { subscriber in
            try publisher.input?.write(contentsOf: Data(Self.lines(0..<50).utf8))
            #expect(await eventually { subscriber.cache.count(of: "T") == 50 })
            let before = try #require(subscriber["T", "42"])
            try publisher.input?.write(contentsOf: Data(Self.lines([42], age: 1_000).utf8))
            #expect(await eventually { subscriber["T", "42"]?["age"] == 1_000 })
            let (equal, command) = try await verify(relayControl, subscriberControl)
            #expect(equal == 0, "\(command.output) \(command.error)")
            // The loss of one update. With the publisher gone nobody tells the subscriber of it.
            publisher.signal(SIGTERM)
            #expect(try await publisher.exitCode() == 0)
            subscriber.cache.commit { $0.overwrite(type: "T", id: "42", with: before) }
            let (code, after) = try await verify(relayControl, subscriberControl, ["--patience", "5"])
            #expect(code == 1)
            let lines = after.output.split(separator: "\n")
            #expect(lines.contains { $0.contains("T") && $0.contains("42") && $0.contains("age") }, "\(after.output)")
            #expect(!lines.contains { $0.contains("equal") }, "\(after.output)")
        }
        relay.signal(SIGTERM)
        #expect(try await relay.exitCode() == 0)
    }

    @Test func `a value that differs under one version is exit code 1 and named, where values are compared`()
        async throws
    {
        let publisher = try publisher(input: Self.lines(0..<50))
        let relay = try await relay()
        try await listening(to: [relayControl], control: subscriberControl) { subscriber in
            #expect(await eventually { subscriber.cache.count(of: "T") == 50 })
            let stamp = try #require(subscriber["T", "42"]?.touched?.stamp)
            // The same write with another value, as damaged memory would have it.
            let other = ModelCache()
            var writer = BatchWriter()
            try writer.append(.merge, stamp: stamp, id: "42", fields: ["age": 1_000, "name": "x"])
            try other.commit(writer, type: "T", origin: "p")
            let damaged = other["T", "42"]
            subscriber.cache.commit { $0.overwrite(type: "T", id: "42", with: damaged) }
            let (equal, versions) = try await verify(relayControl, subscriberControl)
            #expect(equal == 0 && versions.output.hasPrefix("T equal "), "\(versions.output) \(versions.error)")
            let (code, values) = try await verify(relayControl, subscriberControl, ["--values"])
            #expect(code == 1, "\(values.error)")
            let lines = values.output.split(separator: "\n")
            #expect(lines.count == 1, "\(values.output)")
            #expect(lines.first?.hasPrefix("T\tdifferent\t42\tage\t42@") == true, "\(values.output)")
            #expect(lines.first?.contains("\t1000@") == true, "\(values.output)")
        }
        for command in [relay, publisher] {
            command.signal(SIGTERM)
            #expect(try await command.exitCode() == 0, "\(command.error)")
        }
    }

    @Test func `holders of different publishers are told apart, with exit code 1`() async throws {
        let (one, other) = (
            try publisher(input: Self.lines(0..<3)),
            try publisher(named: "q", at: relayControl, input: Self.lines(0..<3))
        )
        for publisher in [one, other] {
            let isRead = await eventually { publisher.error.contains("3 published") }
            try #require(isRead, "\(publisher.error)")
        }
        let (code, command) = try await verify(publisherControl, relayControl, ["--patience", "0.2"])
        #expect(code == 1)
        #expect(command.output.isEmpty)
        #expect(command.error.contains(" p ") && command.error.contains(" q "), "\(command.error)")
    }

    @Test func `types that the other side has nothing of are known from the greetings, by thousands`() async throws {
        try await serving(typeCount: 3_000, at: publisherControl) { publisher in
            let relay = try RunningCommand(["relay", "--name", "r", "--bind", relayControl])
            _ = try await relay.endpoint()
            let (code, command) = try await verify(publisherControl, relayControl, ["--patience", "1"])
            #expect(code == 1)
            #expect(command.output.isEmpty, "\(command.output.prefix(1_000))")
            let lines = command.error.split(separator: "\n")
            #expect(lines.count == 3_000 && lines.allSatisfy { $0.contains("\(relayControl) nothing; ") })
            // The budget of questions has 256 at once: it would be spent.
            #expect(publisher.status.counters[.requestsBusy] == 0)
            relay.signal(SIGTERM)
            #expect(try await relay.exitCode() == 0)
        }
    }

    @Test func `types for which there was no time are named, with exit code 1`() async throws {
        // Holders that tell no digests, and are busy when they are asked for one.
        func holder() throws -> FakeSender {
            let heads = Heads(
                origin: "p", incarnation: 1, stamp: 1 << 16,
                heads: (10..<50).map { TopicHead(topic: .data(type: "T\($0)"), sequence: 1) })
            return try FakeSender { request in
                switch request {
                case .hello(let rid, let version, _, _): return [FakeSender.greeting(rid, version, heads)]
                case .digest(let rid, _, _): return [.error(rid: rid, code: .busy, message: "not now")]
                default: return nil
                }
            }
        }
        let (left, right) = (try holder(), try holder())
        let (code, command) = try await verify(
            left.control, right.control, ["--patience", "0.5", "--timeout", "3"])
        #expect(code == 1)
        #expect(command.output.isEmpty, "\(command.output)")
        #expect(command.error.contains("40 of 40 types were not compared within 0.5 seconds (T10, T11, "))
        withExtendedLifetime((left, right)) {}
    }

    @Test func `nobody at one of the endpoints is exit code 1 and named`() async throws {
        let publisher = try publisher(input: Self.lines(0..<1))
        _ = try await publisher.endpoint()
        let (code, command) = try await verify(publisherControl, subscriberControl)
        #expect(code == 1)
        #expect(command.error.contains("cannot reach \(subscriberControl)"), "\(command.error)")
    }
}
