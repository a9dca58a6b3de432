import Foundation
import TestSupport
import Testing

/// What `modelcast bench` says to a command line that names servers of others, or none.
@Suite(.timeLimit(.minutes(15))) struct BenchPeerOptionTests {
    private func refusal(_ arguments: [String]) async throws -> String {
        let bench = try RunningCommand(["bench"] + arguments)
        #expect(try await bench.exitCode() == 64)
        return bench.error
    }

    @Test func `peers without drivers says what to run`() async throws {
        #expect(try await refusal(["--only", "peers"]).contains("run Scripts/bench-peers"))
    }

    @Test func `a folder without drivers is refused before anything runs`() async throws {
        let folder = try TemporaryDirectory()
        let error = try await refusal(["--peer-drivers", folder.url.path, "--redis-port", "1"])
        #expect(error.contains("no program \(folder.path("redis-peer")); Scripts/bench-peers builds it"))
    }

    @Test func `drivers and ports go together`() async throws {
        #expect(try await refusal(["--redis-port", "1"]).contains("go with --peer-drivers"))
        #expect(try await refusal(["--peer-drivers", "/"]).contains("takes --redis-port, --nats-port or both"))
        #expect(try await refusal(["--peer-drivers", "/", "--nats-port", "0"]).contains("Ports are 1 to 65535"))
    }
}
