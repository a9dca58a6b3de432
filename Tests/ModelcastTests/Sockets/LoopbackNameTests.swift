import TestSupport
import Testing

@testable import Modelcast

/// The forms of this host's own address that section 9 of the protocol lists.
@Suite(.timeLimit(.minutes(15))) struct LoopbackNameTests {
    private func withLive(
        _ control: String, allowsRemote: Bool = false, through host: String? = nil
    ) async throws {
        var configuration = PublisherConfiguration(name: "p", endpoints: try SenderEndpoints(control: control))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.allowsRemote = allowsRemote
        let publisher = try Publisher(configuration, logger: silent)
        try publisher.merge("User", "1", ["age": 1])
        try await running(publisher) { endpoints in
            let port = try #require(endpoints.control.split(separator: ":").last)
            try await subscribing(to: [host.map { "tcp://\($0):\(port)" } ?? endpoints.control]) { subscriber in
                try await subscriber.waitUntilLive()
                try publisher.merge("User", "2", ["age": 2])
                #expect(await eventually { subscriber["User", "2"] != nil })
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "[::1]", "lo"])
    func `a publisher serves at each name of loopback`(_ host: String) async throws {
        try await withLive("tcp://\(host):*")
    }

    @Test(arguments: ["127.0.0.1", "[::1]", "localhost"])
    func `a publisher at every address of both kinds is reached by either`(_ host: String) async throws {
        try await withLive("tcp://[::]:*", allowsRemote: true, through: host)
    }

    @Test func `who connects to localhost reaches who serves at 127.0.0.1`() async throws {
        try await withLive("tcp://127.0.0.1:*", through: "localhost")
    }
}
