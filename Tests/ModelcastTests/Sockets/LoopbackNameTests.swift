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

    @Test(arguments: [
        "127.0.0.1", "127.1", "localhost", "LOCALHOST", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "lo",
    ])
    func `a publisher serves at each name of loopback`(_ host: String) async throws {
        try await withLive("tcp://\(host):*")
    }

    @Test(arguments: [
        "127.0.0.1", "127.255.255.254", "127.1", "127.0.1", "LocalHost", "[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]",
        "[::0:1]", "[0::0.0.0.1]", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]", "[0:0:0:0:0:ffff:127.9.9.9]", "lo",
    ])
    func `a name of loopback needs no keys`(_ host: String) throws {
        #expect(try SenderEndpoints(control: "tcp://\(host):7400").reachedByOthers == nil)
    }

    @Test(arguments: [
        "*", "0.0.0.0", "128.0.0.1", "10.127.0.1", "127", "127.", "127.0.0.1.1", "127.0.0.x", "127.example.com",
        "localhost.example.com", "LO", "eth0", "[::]", "[::2]", "[1::1]", "[::1::]", "[:::1]", "[0:0:0:0:0:0:1]",
        "[0:0:0:0:0:0:0:0:1]", "[0:0:0:0:0:0:0::1:0]", "[::ffff:10.0.0.1]", "[::fffe:127.0.0.1]", "[::127.0.0.1]",
        "[::ffff:127.0.0.1.1]", "[::ffff:127.0.0.256]", "[127.0.0.1::]", "[::00001]", "[::+1]", "[]",
    ])
    func `any other host may be reached by others`(_ host: String) throws {
        let endpoint = "tcp://\(host):7400"
        #expect(try SenderEndpoints(control: endpoint).reachedByOthers == endpoint)
    }

    @Test(arguments: ["127.0.0.1", "[::1]", "localhost"])
    func `a publisher at every address of both kinds is reached by either`(_ host: String) async throws {
        try await withLive("tcp://[::]:*", allowsRemote: true, through: host)
    }

    @Test func `who connects to localhost reaches who serves at 127.0.0.1`() async throws {
        try await withLive("tcp://127.0.0.1:*", through: "localhost")
    }
}
