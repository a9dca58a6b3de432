import Foundation
import Modelcast
import TestSupport
import Testing

/// How a process begins: signals before it serves, and standard streams that are closed.
@Suite(.serialized) struct ProcessStartTests {
    private static let services: [(arguments: [String], code: Int32)] = [
        (["subscribe", "--connect", "tcp://127.0.0.1:1", "--server-key"], 0),
        (["subscribe", "--connect", "tcp://127.0.0.1:1", "--until-live", "--server-key"], 1),
        (
            [
                "publish", "--name", "p", "--push", "tcp://127.0.0.1:1", "--type", "T", "--id-field", "id",
                "--server-key",
            ], 1
        ),
        (["relay", "--name", "r", "--bind", "tcp://127.0.0.1:*", "--client-keys"], 0),
        (CommandTests.publish + ["--client-keys"], 0),
        (
            [
                "gateway", "--connect", "tcp://127.0.0.1:1", "--name", "g", "--push", "tcp://127.0.0.1:1", "--http",
                "127.0.0.1:0", "--server-key",
            ], 0
        ),
    ]

    /// A command that waits, before anything else, for somebody to write the key of its server or client.
    private func waiting(_ arguments: [String], at fifo: String) throws -> RunningCommand {
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        let keys = try Curve.KeyPair()
        let command = try RunningCommand(
            arguments + [fifo], environment: ["MODELCAST_SECRET_KEY": keys.secretKey.z85])
        return command
    }

    @Test(arguments: services)
    func `SIGTERM before a service runs ends it with 0, and a job with 1`(
        _ arguments: [String], _ code: Int32
    ) async throws {
        let folder = try TemporaryDirectory()
        for number in [SIGTERM, SIGINT] {
            let command = try waiting(arguments, at: folder.path("key-\(number)"))
            let isCaught = await eventually(within: .seconds(60)) { command.catches(number) }
            #expect(isCaught)
            command.signal(number)
            #expect(try await command.exitCode() == code)
            #expect(command.error.contains("Error: stopped before it had begun") == (code == 1), "\(command.error)")
        }
    }

    @Test(arguments: [["get", "T", "1"], ["digest"], ["subscribe"], ["subscribe", "--until-live"]])
    func `a command without standard output says so and ends with 1`(_ subcommand: [String]) async throws {
        let command = try RunningCommand(
            subcommand + ["--connect", "tcp://127.0.0.1:1"], redirection: ">&-")
        #expect(try await command.exitCode() == 1)
        #expect(command.error.hasPrefix("Error: standard output is closed"), "\(command.error)")
    }

    @Test func `a publisher that is to read a closed standard input says so and ends with 1`() async throws {
        let command = try RunningCommand(CommandTests.publish, redirection: "<&-")
        #expect(try await command.exitCode() == 1)
        #expect(command.error.hasPrefix("Error: standard input is closed"), "\(command.error)")
    }

    @Test func `a relay serves without standard input and output`() async throws {
        let relay = try RunningCommand(
            ["relay", "--name", "r", "--bind", "tcp://127.0.0.1:*"], redirection: "<&- >&-")
        let endpoint = try await relay.endpoint()
        let job = try RunningCommand(
            ["publish", "--name", "job", "--push", endpoint, "--type", "T", "--id-field", "id"],
            input: "{\"id\":\"1\"}\n")
        #expect(try await job.exitCode() == 0, "\(job.error)")
        relay.signal(SIGTERM)
        #expect(try await relay.exitCode() == 0)
    }
}
