import Foundation
import TestSupport
import Testing

/// `publish --until-applied` with subscribers that do not do their part.
@Suite(.serialized, .timeLimit(.minutes(15))) struct UntilAppliedTests {
    private func start(waitFor count: Int, timeout: String) throws -> RunningCommand {
        try RunningCommand(
            CommandTests.publish + ["--wait-for", "\(count)", "--until-applied", "--timeout", timeout], input: nil)
    }

    private func tell(_ publisher: RunningCommand, _ id: String) throws {
        try publisher.input?.write(contentsOf: Data("{\"id\":\"\(id)\"}\n".utf8))
    }

    /// Waits until each of them has printed so many changes.
    private func expectCount(_ count: Int, of subscribers: [RunningCommand]) async throws {
        for subscriber in subscribers {
            let isTold = await eventually { subscriber.objects.count >= count }
            try #require(isTold, "\(subscriber.output) \(subscriber.error)")
        }
    }

    @Test func `a subscriber that has applied nothing when the time is up is a failure that names it`() async throws {
        let publisher = try start(waitFor: 1, timeout: "2")
        let subscriber = try RunningCommand(
            ["subscribe", "--connect", try await publisher.endpoint(), "--name", "sleeper"])
        // It ends with the last reference to it.
        defer { withExtendedLifetime(subscriber) {} }
        try tell(publisher, "1")
        try await expectCount(1, of: [subscriber])
        subscriber.signal(SIGSTOP)
        try tell(publisher, "2")
        try publisher.input?.close()
        #expect(try await publisher.exitCode() == 1)
        #expect(publisher.error.contains("0 of 1 subscribers had applied everything after"), "\(publisher.error)")
    }

    @Test func `of two that are waited for one that is killed is missed though the other has everything`() async throws
    {
        // Longer than the four seconds after which a silent subscriber is forgotten.
        let publisher = try start(waitFor: 2, timeout: "8")
        let endpoint = try await publisher.endpoint()
        let subscribers = try ["a", "b"].map {
            try RunningCommand(["subscribe", "--connect", endpoint, "--name", $0])
        }
        defer { withExtendedLifetime(subscribers) {} }
        try tell(publisher, "1")
        try await expectCount(1, of: subscribers)
        subscribers[1].signal(SIGKILL)
        try tell(publisher, "2")
        try publisher.input?.close()
        #expect(try await publisher.exitCode() == 1)
        #expect(
            publisher.error.contains("1 of 2 subscribers had applied everything after 8.0 seconds"),
            "\(publisher.error)")
        #expect(publisher.error.contains("1 were not heard of any more"))
    }

    @Test func `told to stop before anybody has applied anything it ends with exit code 1`() async throws {
        let publisher = try RunningCommand(
            CommandTests.publish + ["--wait-for", "1", "--until-applied"], input: #"{"id": "1"}"# + "\n")
        _ = try await publisher.endpoint()
        publisher.signal(SIGTERM)
        #expect(try await publisher.exitCode() == 1)
        #expect(publisher.error.contains("stopped before every subscriber had applied everything"))
    }

    @Test func `whom nobody waits for by number is not missed when it is killed`() async throws {
        let publisher = try RunningCommand(CommandTests.publish + ["--until-applied", "--timeout", "300"], input: nil)
        let subscriber = try RunningCommand(["subscribe", "--connect", try await publisher.endpoint()])
        try tell(publisher, "1")
        try await expectCount(1, of: [subscriber])
        subscriber.signal(SIGKILL)
        try tell(publisher, "2")
        try publisher.input?.close()
        #expect(try await publisher.exitCode() == 0, "\(publisher.error)")
    }
}
