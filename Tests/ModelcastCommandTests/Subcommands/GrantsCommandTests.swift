import Foundation
import TestSupport
import Testing

/// Grants with the real executable: checked, explained, used, exchanged.
@Suite(.serialized) struct GrantsCommandTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func make(_ names: String...) async throws {
        for name in names {
            let command = try RunningCommand(["keygen", name, "--output", folder.path("")])
            #expect(try await command.exitCode() == 0)
        }
    }

    private func key(_ name: String) throws -> String {
        let text = try String(contentsOfFile: folder.path("\(name).pub"), encoding: .utf8)
        return String(try #require(text.split(whereSeparator: \.isWhitespace).dropFirst().first))
    }

    private func write(_ lines: String...) throws {
        let text = Data(lines.joined(separator: "\n").utf8)
        try text.write(to: URL(fileURLWithPath: folder.path("grants")), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("grants"))
    }

    private func run(_ arguments: String...) async throws -> (code: Int32?, output: String, error: String) {
        let command = try RunningCommand(arguments)
        let code = try await command.exitCode()
        return (code, command.output, command.error)
    }

    @Test func `a file of grants is checked and explained, and one that is wrong is told with line and column`()
        async throws
    {
        try await make("billing")
        let (key, file) = (try key("billing"), folder.path("grants"))
        try write("# readers", "grant \(key) billing subscribe:User subscribe:User")
        let good = try await run("grants", "check", file)
        #expect(good.code == 0 && good.output == "\(file): 1 key\n")
        #expect(good.error.contains("2:71: subscribe:User adds nothing to User"), "\(good.error)")
        let words = try await run("grants", "explain", file, "billing", "Order")
        #expect(words.code == 0 && words.output.contains("may not read Order"), "\(words.output)")
        let nobody = try await run("grants", "explain", file, "nobody")
        #expect(nobody.code == 1 && nobody.error.contains("grants nothing to nobody"))
        try write("grant \(key) billing subscibe:User")
        let bad = try await run("grants", "check", file)
        #expect(bad.code == 1)
        #expect(bad.error.contains("\(file):1:56: 'subscibe:User' is no right: write subscribe:User"), "\(bad.error)")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        let open = try await run("grants", "check", file)
        #expect(open.code == 1 && open.error.contains("chmod go-w"), "\(open.error)")
        // Half of a file, and one that would be waited for.
        try write("# readers")
        let empty = try await run("grants", "check", file)
        #expect(empty.code == 1 && empty.error.contains("grants nothing to anybody"), "\(empty.error)")
        let isMade = unsafe mkfifo(folder.path("pipe"), 0o600) == 0
        try #require(isMade)
        let pipe = try await run("grants", "check", folder.path("pipe"))
        #expect(pipe.code == 1 && pipe.error.contains("is no file"), "\(pipe.error)")
    }

    @Test(arguments: [
        ["--grants", "g"], ["--grants", "g", "--key", "k", "--client-keys", "c"],
        ["--key", "k"], ["--key", "k", "--client-keys", "c", "--stream-ports", "7410-7419"],
    ])
    func `grants that say too little or too much are refused before anything is bound`(more: [String]) async throws {
        let command = try RunningCommand(
            ["relay", "--name", "r", "--bind", "tcp://127.0.0.1:*"] + more)
        #expect(try await command.exitCode() == 64)
        #expect(command.error.contains("--grants"), "\(command.error)")
    }

    @Test func `the example beside the units is a file of grants without a mistake`() async throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        let check = try await run("grants", "check", "\(root)/Deploy/grants-example")
        #expect(check.code == 0 && check.error.isEmpty, "\(check.error)")
        #expect(check.output.contains("5 keys"), "\(check.output)")
    }

    @Test func `a subscriber with grants takes from a publisher what its key may write, and names the key`()
        async throws
    {
        try await make("accounts", "reader")
        let (accounts, reader) = (try key("accounts"), try key("reader"))
        try write(
            "grant \(accounts) shop publish:Order origin=shop publish:User origin=shop",
            "grant \(reader) reader subscribe:User")
        let publisher = try RunningCommand(
            [
                "publish", "--name", "accounts", "--bind", "tcp://127.0.0.1:*", "--type", "User", "--id-field", "id",
                "--key", folder.path("accounts.key"), "--grants", folder.path("grants"),
            ], input: #"{"id": "1", "name": "Ada"}"# + "\n")
        let endpoint = try await publisher.endpoint()
        func subscriber(_ more: [String] = []) throws -> RunningCommand {
            try RunningCommand(
                [
                    "subscribe", "--connect", endpoint, "--key", folder.path("reader.key"), "--server-key",
                    folder.path("accounts.pub"), "--models", "--until-live", "--timeout", "60",
                ] + more)
        }
        let believing = try subscriber()
        #expect(try await believing.exitCode() == 0, "\(believing.error)")
        #expect(believing.output.contains("Ada"))
        let held = try subscriber(["--grants", folder.path("grants")])
        _ = try await held.exitCode()
        #expect(!held.output.contains("Ada"))
        #expect(
            held.error.contains("a sender speaks for an origin that its key was not granted")
                && held.error.contains("key=shop") && held.error.contains("origin=accounts"), "\(held.error)")
        try write(
            "grant \(accounts) accounts publish:User origin=accounts", "grant \(reader) reader subscribe:User")
        let granted = try subscriber(["--grants", folder.path("grants")])
        #expect(try await granted.exitCode() == 0, "\(granted.error)")
        #expect(granted.output.contains("Ada"))
        publisher.signal(SIGTERM)
        _ = try await publisher.exitCode()
    }

    @Test func `grants hold from SIGHUP on, and a file that cannot be read changes nothing`() async throws {
        try await make("relay", "job")
        let job = try key("job")
        try write("grant \(job) job publish:User origin=job")
        let relay = try RunningCommand([
            "relay", "--name", "relay", "--bind", "tcp://127.0.0.1:*", "--key", folder.path("relay.key"), "--grants",
            folder.path("grants"),
        ])
        let endpoint = try await relay.endpoint()
        func push(_ type: String) async throws -> (code: Int32?, error: String) {
            let command = try RunningCommand(
                [
                    "publish", "--name", "job", "--push", endpoint, "--type", type, "--id-field", "id", "--key",
                    folder.path("job.key"), "--server-key", folder.path("relay.pub"), "--timeout", "60",
                ], input: #"{"id": "1", "name": "Ada"}"# + "\n")
            return (try await command.exitCode(), command.error)
        }
        #expect(try await push("User").code == 0)
        let denied = try await push("Order")
        #expect(denied.code == 1)
        #expect(denied.error.contains("job may not write Order as job: its grant needs"), "\(denied.error)")
        #expect(await eventually { relay.error.contains("a push was denied, as its key was not granted that") })
        #expect(relay.error.contains("key=job") && relay.error.contains("type=Order"), "\(relay.error)")
        try write("grant \(job) job publish:* origin=job", "nonsense")
        relay.signal(SIGHUP)
        #expect(await eventually { relay.error.contains("the grants were not changed") })
        #expect(try await push("Order").code == 1)
        try write("grant \(job) job publish:* origin=job")
        relay.signal(SIGHUP)
        // The process has one signal at a time to look at; the push is tried until it is granted.
        var code: Int32? = 1
        for _ in 0..<50 where code != 0 { code = try await push("Order").code }
        #expect(code == 0)
        relay.signal(SIGTERM)
        #expect(try await relay.exitCode() == 0)
    }

    @Test func `a job past a lasting limit of its key ends with 1, past a rate it waits, and the audit log tells`()
        async throws
    {
        try await make("relay", "job")
        let job = try key("job")
        try write("grant \(job) nightly publish:User origin=job ids=10 rate=5")
        let relay = try RunningCommand([
            "relay", "--name", "relay", "--bind", "tcp://127.0.0.1:*", "--key", folder.path("relay.key"), "--grants",
            folder.path("grants"), "--log-level", "critical",
        ])
        let endpoint = try await relay.endpoint()
        func push(_ count: Int) async throws -> (code: Int32?, error: String) {
            let lines = (0..<count).map { #"{"id": "\#($0)", "name": "Ada"}"# }
            let command = try RunningCommand(
                [
                    "publish", "--name", "job", "--push", endpoint, "--type", "User", "--id-field", "id", "--key",
                    folder.path("job.key"), "--server-key", folder.path("relay.pub"), "--timeout", "60",
                ], input: lines.joined(separator: "\n") + "\n")
            return (try await command.exitCode(), command.error)
        }
        #expect(try await push(10).code == 0)
        let refused = try await push(11)
        #expect(refused.code == 1)
        #expect(refused.error.contains("ids=10 is what nightly may have"), "\(refused.error)")
        // Raised while the relay serves.
        try write("grant \(job) nightly publish:User origin=job ids=11 rate=5")
        relay.signal(SIGHUP)
        var code: Int32? = 1
        for _ in 0..<50 where code != 0 { code = try await push(11).code }
        #expect(code == 0)
        let lines = [
            "grants loaded", "a name was taken by pushing", "a key is at a limit of its grant", "grants replaced",
        ]
        for line in lines {
            #expect(relay.error.contains(line) && relay.error.contains("modelcast.audit"), "\(relay.error)")
        }
        #expect(relay.error.contains("changed=nightly ("))
        relay.signal(SIGTERM)
        #expect(try await relay.exitCode() == 0)
    }
}
