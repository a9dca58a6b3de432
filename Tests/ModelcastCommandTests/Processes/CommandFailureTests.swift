import Foundation
import ModelWire
import TestSupport
import Testing

/// What the real executable does when something is wrong.
@Suite(.serialized) struct CommandFailureTests {
    static let usage: [[String]] = [
        ["nonsense"], ["publish"], ["subscribe"], ["get", "--connect", "tcp://127.0.0.1:1"],
        CommandTests.publish + ["--delete-at-most", "1"], CommandTests.publish + ["--whole", "--delete-at-most", "x"],
        CommandTests.publish + ["--name", "a b"], CommandTests.publish + ["--type", "1T"],
        CommandTests.publish + ["--bind", "nowhere"], CommandTests.publish + ["--timeout", "0"],
        CommandTests.publish + ["--timeout", "1"], CommandTests.publish + ["--follow", "--whole"],
        CommandTests.publish + ["--follow", "--until-applied"], CommandTests.publish + ["--wait-for", "-1"],
        CommandTests.publish + ["--tombstone-retention", "0"],
        ["relay", "--name", "r", "--bind", "tcp://127.0.0.1:*", "--tombstone-retention", "a day"],
        ["subscribe", "--connect", "tcp://127.0.0.1:1", "--tombstone-retention", "-1"],
        CommandTests.publish + ["-", "-"], CommandTests.publish + ["--stream", "tcp://0.0.0.0:*"],
        ["relay", "--name", "r", "--bind", "tcp://0.0.0.0:*"],
        ["relay", "--name", "r", "--bind", "ipc:///tmp/one", "--stream", "ipc:///tmp/one"],
        ["subscribe", "--connect", "tcp://127.0.0.1:1", "--control", "tcp://0.0.0.0:*"],
        ["subscribe", "--connect", "tcp://127.0.0.1:1", "--key", "k", "--server-key", "tcp://127.0.0.1:2=k"],
        ["get", "--connect", "tcp://127.0.0.1:1", "--client-keys", "k", "User", "1"],
        CommandTests.publish + ["--replay-size", "65537"], CommandTests.publish + ["--replay-age", "0"],
        CommandTests.publish + ["--answers-size", "0"], CommandTests.publish + ["--ttl", "soon"],
        ["publish", "--name", "p", "--bind", "tcp://127.0.0.1:*", "--type", "T"],
        ["publish", "--name", "p", "--bind", "tcp://127.0.0.1:*", "--id-field", "id"],
        ["subscribe", "--connect", "tcp://127.0.0.1:*"],
        ["subscribe", "--connect", "tcp://127.0.0.1:1", "--type", "a/b"],
        ["subscribe", "--connect", "tcp://127.0.0.1:1", "--no-changes"], ["digest", "--connect", "http://x:1"],
        ["bench", "--only", "nonsense"], ["bench", "--rounds", "0"], ["bench", "--latency-rate", "0"],
        ["bench", "--latency-rate", "10", "10"], ["bench", "--latency-rate", "2000000"],
        ["bench", "--latency-seconds", "0.01", "--latency-rate", "10"], ["bench", "--html", "/nowhere/page.html"],
        ["bench", "--html", "/tmp"], ["bench", "--stop-rate", "1"],
    ]

    @Test(arguments: usage)
    func `a wrong command line ends with exit code 64`(_ arguments: [String]) async throws {
        let command = try RunningCommand(arguments)
        #expect(try await command.exitCode() == 64, "\(command.error)")
        #expect(command.error.hasPrefix("Error: "))
        #expect(command.output.isEmpty)
    }

    @Test(arguments: [[], ["publish"], ["subscribe"], ["get"], ["digest"]])
    func `help is data and ends with exit code 0`(_ subcommand: [String]) async throws {
        let command = try RunningCommand(subcommand + ["--help"])
        #expect(try await command.exitCode() == 0)
        #expect(command.output.contains("modelcast"))
        #expect(command.error.isEmpty)
    }

    @Test func `a taken port is told in one line`() async throws {
        let first = try RunningCommand(CommandTests.publish)
        let endpoint = try await first.endpoint()
        let second = try RunningCommand([
            "publish", "--name", "q", "--bind", endpoint, "--stream", "tcp://127.0.0.1:*", "--type", "T", "--id-field",
            "id",
        ])
        #expect(try await second.exitCode() == 1)
        #expect(second.error.contains("\(endpoint): Address already in use"))
        #expect(second.error.split(separator: "\n").count == 1, "\(second.error)")
    }

    @Test func `an endpoint that other machines reach needs to be allowed`() async throws {
        let arguments = ["publish", "--name", "p", "--bind", "tcp://0.0.0.0:*", "--type", "T", "--id-field", "id"]
        let refused = try RunningCommand(arguments)
        #expect(try await refused.exitCode() == 64)
        #expect(refused.error.contains("--insecure"))
        let allowed = try RunningCommand(arguments + ["--insecure", "--until-applied"])
        #expect(try await allowed.exitCode() == 0)
    }

    @Test func `a file that cannot be read is told before anything is bound`() async throws {
        let command = try RunningCommand(CommandTests.publish + ["/nowhere/models"])
        #expect(try await command.exitCode() == 1)
        #expect(command.error.contains("cannot read /nowhere/models: No such file or directory"))
        #expect(!command.error.contains("control "))
    }

    @Test func `a subscriber with a time limit says for each publisher what is wrong`() async throws {
        let publisher = try RunningCommand(CommandTests.publish)
        let endpoint = try await publisher.endpoint()
        let line = try #require(publisher.error.split(separator: "\n").first)
        let stream = try #require(line.split(separator: " ").last.map(String.init))
        let gone = try await endpointThatWasFreed()
        let subscriber = try RunningCommand([
            "subscribe", "--timeout", "1", "--until-live", "--connect", endpoint, "--connect", gone, "--connect",
            "tcp://no-such-host.invalid:1", "--connect", stream,
        ])
        #expect(try await subscriber.exitCode() == 1)
        let reason = try #require(subscriber.error.split(separator: "\n").last)
        #expect(reason.contains("cannot reach \(gone): Connection refused"), "\(reason)")
        #expect(reason.contains("cannot resolve host no-such-host.invalid"), "\(reason)")
        #expect(reason.contains("\(stream) speaks ZeroMQ but has not answered"), "\(reason)")
        #expect(!reason.contains("\(endpoint) "), "\(reason)")
    }

    @Test(arguments: [["get"], ["digest"], ["subscribe", "--timeout", "1"]])
    func `something else on the port is told`(_ subcommand: [String]) async throws {
        let server = try SilentServer()
        let arguments = subcommand + ["--connect", server.endpoint] + (subcommand[0] == "get" ? ["T", "1"] : [])
        let command = try RunningCommand(arguments)
        #expect(try await command.exitCode() == 1)
        #expect(command.error.contains("what listens at \(server.endpoint) does not speak ZeroMQ"), "\(command.error)")
    }

    /// What a publisher of the next protocol version would answer.
    private func newerSender() throws -> FakeSender {
        try FakeSender { request in
            guard case .hello(let rid, _, _, _) = request else { return [] }
            let message = "this publisher speaks version 2, not 1; update the older side"
            return [.error(rid: rid, code: .version, message: message)]
        }
    }

    @Test func `another protocol version is one line with what to do, and the subscriber goes on trying`() async throws
    {
        let sender = try newerSender()
        // Long enough for several hellos: an error is no answer, so each is repeated after two seconds.
        let subscriber = try RunningCommand([
            "subscribe", "--connect", sender.control, "--until-live", "--timeout", "6",
        ])
        let isTold = await eventually { subscriber.error.contains("version 2, not 1; update the older side; trying") }
        try #require(isTold, "\(subscriber.error)")
        #expect(try await subscriber.exitCode() == 1)
        let lines = subscriber.error.split(separator: "\n")
        #expect(lines.count == 2, "\(subscriber.error)")
        #expect(lines.first?.hasPrefix("\(sender.control) ") == true)
        #expect(lines.last?.hasPrefix("Error: not live after") == true)
        #expect(lines.last?.contains("update the older side") == true)
    }

    @Test(arguments: [["get", "T", "1"], ["digest"]])
    func `a question to another protocol version fails with one line`(_ subcommand: [String]) async throws {
        let sender = try newerSender()
        let command = try RunningCommand(subcommand + ["--connect", sender.control])
        #expect(try await command.exitCode() == 1)
        #expect(
            command.error == "Error: \(sender.control) refused: this publisher speaks version 2, not 1; "
                + "update the older side\n")
    }

    @Test func `waiting for subscribers has a limit`() async throws {
        let command = try RunningCommand(CommandTests.publish + ["--wait-for", "1", "--timeout", "0.2"])
        #expect(try await command.exitCode() == 1)
        #expect(command.error.contains("0 of 1 subscribers were live"))
    }

    private func push(to relay: String, _ more: [String] = [], isInputOpen: Bool = false) throws -> RunningCommand {
        try RunningCommand(
            ["publish", "--name", "job", "--push", relay, "--type", "T", "--id-field", "id"] + more,
            input: isInputOpen ? nil : "{\"id\":\"1\"}\n")
    }

    @Test func `a push that nobody acknowledges in time is exit code 1, with what to do`() async throws {
        let folder = try TemporaryDirectory()
        let nobody = "ipc://\(folder.path("nobody"))"
        let job = try push(to: nobody, ["--timeout", "0.5"])
        #expect(try await job.exitCode() == 1)
        let reason = try #require(job.error.split(separator: "\n").last)
        #expect(reason.contains("1 batches were not acknowledged after"), "\(reason)")
        #expect(reason.contains("is a relay running at \(nobody)?"), "\(reason)")
        #expect(job.error.contains("\(nobody): 0 batches acknowledged, 1 not"))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a job that is told to stop before all is acknowledged is exit code 1`(_ signal: Int32) async throws {
        let folder = try TemporaryDirectory()
        let job = try push(to: "ipc://\(folder.path("nobody"))")
        let isRead = await eventually { job.error.contains("1 published") }
        try #require(isRead, "\(job.error)")
        job.signal(signal)
        #expect(try await job.exitCode() == 1)
        #expect(job.error.contains(/Error: stopped with (1 batches|the last writes) unacknowledged/), "\(job.error)")
    }

    @Test(arguments: [false, true])
    func `a push to a publisher is refused with what to do, and exit code 1`(isInputOpen: Bool) async throws {
        let publisher = try RunningCommand(CommandTests.publish)
        let job = try push(to: try await publisher.endpoint(), ["--timeout", "300"], isInputOpen: isInputOpen)
        if isInputOpen { try job.input?.write(contentsOf: Data("{\"id\":\"1\"}\n".utf8)) }
        #expect(try await job.exitCode() == 1)
        #expect(
            job.error.contains("a relay refuses what is pushed") && job.error.contains("push goes to a relay"),
            "\(job.error)")
    }

    @Test func `a subscriber that came first goes on when the publisher comes`() async throws {
        let endpoint = try await endpointThatWasFreed()
        let subscriber = try RunningCommand(["subscribe", "--connect", endpoint])
        let isTold = await eventually { subscriber.error.contains("cannot reach") }
        try #require(isTold)
        let publisher = try RunningCommand(
            [
                "publish", "--name", "p", "--bind", endpoint, "--stream", "tcp://127.0.0.1:*", "--type", "T",
                "--id-field", "id", "--wait-for", "1", "--until-applied", "--timeout", "300",
            ], input: "{\"id\":\"1\"}\n")
        #expect(try await publisher.exitCode() == 0, "\(publisher.error)")
        #expect(subscriber.objects.count == 1)
        #expect(subscriber.error.contains("\(endpoint) is live"))
    }

    /// An endpoint at which nothing listens any more.
    private func endpointThatWasFreed() async throws -> String {
        let command = try RunningCommand(CommandTests.publish + ["--until-applied"])
        let endpoint = try await command.endpoint()
        #expect(try await command.exitCode() == 0)
        return endpoint
    }
}
