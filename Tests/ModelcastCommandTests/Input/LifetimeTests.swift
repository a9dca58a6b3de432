import Foundation
import TestSupport
import Testing

@testable import ModelcastCommand

/// `modelcast publish --ttl` and `--lease`: models that end after their line, or with their publisher.
@Suite struct LifetimeTests {
    @Test(arguments: [
        ("90", 90_000), ("500ms", 500), ("3s", 3_000), ("5m", 300_000), ("1.5h", 5_400_000), ("7d", 604_800_000),
        ("0.001", 1),
    ])
    func `a lifetime is seconds, or has a unit`(text: String, milliseconds: Int64) throws {
        #expect(try #require(Lifetime(argument: text)).duration == .milliseconds(milliseconds))
    }

    @Test(arguments: ["", "0", "-1", "s", "3 s", "3x", "nan", "inf", "1e9d", "0.1ms", "1h30m"])
    func `what is no lifetime is refused`(text: String) {
        #expect(Lifetime(argument: text) == nil)
    }

    @Test func `a model ends after its line, and a line says otherwise`() async throws {
        let far = #"{"id":"kept","$expires":4000000000000}"#
        let command = try RunningCommand(
            CommandTests.publish + ["--ttl", "1s", "--wait-for", "1"], input: "{\"id\":\"short\",\"a\":1}\n\(far)\n")
        let subscriber = try RunningCommand(["subscribe", "--connect", try await command.endpoint()])
        let hasEnded = await eventually {
            subscriber.objects.contains { $0["id"] as? String == "short" && $0["reason"] as? String == "expired" }
        }
        #expect(hasEnded, "\(subscriber.output)")
        let gone = subscriber.objects.filter { $0["new"] is NSNull }
        #expect(gone.compactMap { $0["id"] as? String } == ["short"])
        let kept = try #require(subscriber.objects.first { $0["id"] as? String == "kept" })
        #expect((kept["new"] as? [String: Any])?["$expires"] as? Int == 4_000_000_000_000)
        #expect(kept["reason"] == nil)
    }

    @Test func `a leased model goes when its publisher is killed, and others stay`() async throws {
        let lines = "{\"id\":\"leased\",\"a\":1}\n{\"id\":\"kept\",\"$leaseMs\":null}\n"
        let command = try RunningCommand(CommandTests.publish + ["--lease", "2s"], input: lines)
        let subscriber = try RunningCommand(["subscribe", "--connect", try await command.endpoint()])
        let hasBoth = await eventually { subscriber.objects.count { $0["new"] is [String: Any] } == 2 }
        try #require(hasBoth, "\(subscriber.output)")
        command.signal(SIGKILL)
        let hasGone = await eventually {
            subscriber.objects.contains { $0["id"] as? String == "leased" && $0["reason"] as? String == "lease-ended" }
        }
        #expect(hasGone, "\(subscriber.output)")
        #expect(subscriber.objects.compactMap { $0["new"] is NSNull ? $0["id"] as? String : nil } == ["leased"])
    }

    @Test(arguments: [
        (CommandTests.publish + ["--lease", "5s", "--ttl", "5s"], "choose one"),
        (
            ["publish", "--name", "j", "--push", "tcp://127.0.0.1:1", "--type", "T", "--id-field", "id"]
                + ["--lease", "5s"], "--lease needs --bind"
        ),
    ])
    func `a lease that nobody could keep is refused`(arguments: [String], told: String) async throws {
        let command = try RunningCommand(arguments, input: "{\"id\":\"1\"}\n")
        #expect(try await command.exitCode() == 64)
        #expect(command.error.contains(told), "\(command.error)")
    }

    @Test func `a lease shorter than two heartbeats is refused with the least that works`() async throws {
        let command = try RunningCommand(CommandTests.publish + ["--lease", "10ms"], input: "{\"id\":\"1\"}\n")
        let isTold = await eventually { command.error.contains("1 refused") }
        #expect(isTold && command.error.contains("give at least 1000 ms"), "\(command.error)")
    }

    @Test func `an end that is no time in milliseconds is a line that is refused`() async throws {
        let command = try RunningCommand(
            CommandTests.publish, input: "{\"id\":\"1\",\"$expires\":1790000000}\n{\"id\":\"2\"}\n")
        let isTold = await eventually { command.error.contains("1 refused") }
        #expect(isTold && command.error.contains("stdin:1: value: $expires says when a model ends"), "\(command.error)")
        #expect(command.error.contains("seconds are to be multiplied by 1000"))
    }

    @Test func `a job that ends before its models takes no lifetime`() async throws {
        let job = ["publish", "--name", "j", "--push", "tcp://127.0.0.1:1", "--type", "T", "--id-field", "id"]
        let command = try RunningCommand(job + ["--ttl", "5m"])
        #expect(try await command.exitCode() == 64)
        #expect(command.error.contains("it needs --bind, or --follow"))
    }
}
