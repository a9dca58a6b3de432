import ModelWire
import Modelcast
import TestSupport
import Testing

/// `modelcast digest --no-count`, of holders with many types and of one that does not tell all.
@Suite(.serialized, .timeLimit(.minutes(15))) struct DigestCommandTests {
    @Test func `the digests of thousands of types are told by one greeting, to health too`() async throws {
        let folder = try TemporaryDirectory()
        let control = "ipc://\(folder.path("p"))"
        try await serving(typeCount: 2_000, at: control) { publisher in
            let digest = try RunningCommand(["digest", "--no-count", "--connect", control])
            #expect(try await digest.exitCode() == 0, "\(digest.error)")
            let health = try RunningCommand(["health", "--connect", control])
            #expect(try await health.exitCode() == 0, "\(health.output) \(health.error)")
            // The budget of questions has 256 at once: it would be spent.
            #expect(publisher.status.counters[.requestsBusy] == 0)
            let counted = try RunningCommand(["digest", "--connect", control])
            #expect(try await counted.exitCode() == 0, "\(counted.error)")
            #expect(digest.output.split(separator: "\n").count == 2_000)
            #expect(digest.output == counted.output.replacing(" 1 ", with: " "))
        }
    }

    @Test func `where a greeting leaves a digest out the types are asked for`() async throws {
        let heads = Heads(
            origin: "fake", incarnation: 1, stamp: 1 << 16,
            heads: [
                TopicHead(topic: .data(type: "A"), sequence: 1, digest: 10),
                TopicHead(topic: .data(type: "B"), sequence: 1),
            ])
        let sender = try FakeSender { request in
            switch request {
            case .hello(let rid, let version, _, _): return [FakeSender.greeting(rid, version, heads)]
            case .digest(let rid, let type, _):
                return [.digests(rid: rid, heads: [heads], digests: [type == "A" ? 10 : 11])]
            default: return nil
            }
        }
        let digest = try RunningCommand(["digest", "--no-count", "--connect", sender.control])
        #expect(try await digest.exitCode() == 0, "\(digest.error)")
        #expect(digest.output == "A 000000000000000a\nB 000000000000000b\n")
        withExtendedLifetime(sender) {}
    }
}
