import Foundation
import TestSupport
import Testing

/// Keys with the real executable: made, used, refused.
@Suite(.serialized) struct KeyCommandTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func keygen(_ name: String) async throws -> RunningCommand {
        let command = try RunningCommand(["keygen", name, "--output", folder.path("")])
        _ = try await command.exitCode()
        return command
    }

    private func make(_ names: String...) async throws {
        for name in names { #expect(try await keygen(name).exitCode() == 0) }
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder.path(name), encoding: .utf8)
    }

    /// The 40 characters in a file.
    private func key(_ name: String) throws -> String {
        String(try #require(try text(name).split(whereSeparator: \.isWhitespace).dropFirst().first))
    }

    private func publish(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> RunningCommand {
        try RunningCommand(
            CommandTests.publish + arguments, input: #"{"id": "1", "name": "Ada"}"# + "\n", environment: environment)
    }

    @Test func `keygen writes a secret file for its owner alone, and a public one`() async throws {
        let command = try await keygen("accounts")
        #expect(try await command.exitCode() == 0)
        #expect(command.output.isEmpty)
        for (name, mode) in [("accounts.key", 0o600), ("accounts.pub", 0o644)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(name)")
            #expect(try key(name).count == 40)
            #expect(command.error.contains(name))
        }
        #expect(try text("accounts.pub").hasSuffix(" accounts\n"))
        #expect(try key("accounts.key") != key("accounts.pub"))
        #expect(!command.error.contains(try key("accounts.key")))
    }

    @Test func `keygen makes the folder that it writes to, for its owner alone`() async throws {
        let keys = folder.path("new/keys")
        let command = try RunningCommand(["keygen", "accounts", "--output", keys])
        #expect(try await command.exitCode() == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: keys)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        #expect(FileManager.default.fileExists(atPath: keys + "/accounts.key"))
    }

    @Test func `keygen overwrites nothing`() async throws {
        try await make("a")
        let before = try (text("a.key"), text("a.pub"))
        let again = try await keygen("a")
        #expect(try await again.exitCode() == 1)
        #expect(again.error.contains("a.key exists"))
        // Nor is a secret key left over where the public one is in the way.
        try FileManager.default.removeItem(atPath: folder.path("a.key"))
        #expect(try await keygen("a").exitCode() == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path("a.key")))
        #expect(try text("a.pub") == before.1)
        #expect(try await keygen("a/b").exitCode() == 64)
    }

    @Test func `what has keys is read by those who are known`() async throws {
        try await make("accounts", "billing", "stranger")
        let publisher = try publish(["--key", folder.path("accounts.key"), "--client-keys", folder.path("billing.pub")])
        let endpoint = try await publisher.endpoint()
        let trusting = ["--server-key", "\(endpoint)=\(folder.path("accounts.pub"))"]
        let get = ["get", "--connect", endpoint, "T", "1"]

        let known = try RunningCommand(get + trusting + ["--key", folder.path("billing.key")])
        #expect(try await known.exitCode() == 0, "\(known.error)")
        #expect(known.objects.count == 1)
        let subscriber = try RunningCommand(
            ["subscribe", "--connect", endpoint, "--until-live", "--no-changes", "--models"] + trusting,
            environment: ["MODELCAST_SECRET_KEY": try key("billing.key")])
        #expect(try await subscriber.exitCode() == 0, "\(subscriber.error)")
        #expect(subscriber.objects.count == 1)

        for (arguments, hint) in [
            (get + trusting + ["--key", folder.path("stranger.key")], "--client-keys"), (get, "--key"),
            (get + ["--key", folder.path("billing.key"), "--server-key", folder.path("stranger.pub")], "--server-key"),
        ] {
            let refused = try RunningCommand(arguments)
            #expect(try await refused.exitCode() == 1)
            #expect(refused.error.contains(hint) && refused.output.isEmpty, "\(refused.error)")
        }
        let waiting = try RunningCommand(["subscribe", "--connect", endpoint, "--timeout", "5"])
        #expect(try await waiting.exitCode() == 1)
        #expect(waiting.error.contains("it lets in clients with keys only"), "\(waiting.error)")
        #expect(publisher.error.contains("clients were refused"))
        for name in ["accounts", "billing", "stranger"] {
            let secret = try key("\(name).key")
            #expect(![publisher, known, subscriber, waiting].contains { $0.error.contains(secret) })
        }
    }

    @Test func `a job pushes with keys through a relay`() async throws {
        try await make("relay", "job", "reader")
        let clients = folder.path("clients.pub")
        try Data((text("job.pub") + text("reader.pub")).utf8).write(to: URL(fileURLWithPath: clients))
        let relay = try RunningCommand([
            "relay", "--name", "r", "--bind", "tcp://127.0.0.1:*", "--key", folder.path("relay.key"), "--client-keys",
            clients,
        ])
        let endpoint = try await relay.endpoint()
        let server = ["--server-key", folder.path("relay.pub")]
        let job = try RunningCommand(
            ["publish", "--name", "job", "--push", endpoint, "--type", "User", "--id-field", "id", "--key"]
                + [folder.path("job.key")] + server, input: #"{"id": "1", "name": "Ada"}"# + "\n")
        #expect(try await job.exitCode() == 0, "\(job.error)")
        let digest = try RunningCommand(["digest", "--connect", endpoint, "--key", folder.path("reader.key")] + server)
        #expect(try await digest.exitCode() == 0, "\(digest.error)")
        #expect(digest.output.hasPrefix("User 1 "))
    }

    @Test func `key files that cannot be used end a command with what to do`() async throws {
        try await make("a", "b")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("b.key"))
        for (key, hint) in [
            ("none.key", "cannot read the keys"),
            ("a.pub", "this is a public key (NAME.pub); wanted is a secret key (NAME.key)"),
            ("b.key", "chmod 600"),
        ] {
            let command = try publish(["--key", folder.path(key), "--client-keys", folder.path("a.pub")])
            #expect(try await command.exitCode() == 1)
            #expect(command.error.contains(hint), "\(command.error)")
        }
        let swapped = try publish(["--key", folder.path("a.key"), "--client-keys", folder.path("a.key")])
        #expect(try await swapped.exitCode() == 1)
        #expect(swapped.error.contains("let nobody have the secret"))
        let broken = try publish(
            ["--client-keys", folder.path("a.pub")], environment: ["MODELCAST_SECRET_KEY": "abc"])
        #expect(try await broken.exitCode() == 1)
        #expect(broken.error.contains("MODELCAST_SECRET_KEY"))
    }

    @Test func `a command line that leaves out whom to trust ends with exit code 64`() async throws {
        try await make("a")
        let (secret, known) = (["--key", folder.path("a.key")], folder.path("a.pub"))
        let get = ["get", "--connect", "tcp://127.0.0.1:1", "T", "1"]
        for (arguments, hint) in [
            (CommandTests.publish + secret, "--client-keys"), (get + secret, "--server-key"),
            (get + ["--server-key", known], "--key"),
            (get + secret + ["--server-key", known, "--server-key", known], "two"),
            (CommandTests.publish + ["--client-keys", known], "--key"),
            (get + secret + ["--server-key", known, "--client-keys", known], "--client-keys"),
            (CommandTests.publish + secret + ["--client-keys", known, "--server-key", known], "--server-key"),
        ] {
            let command = try RunningCommand(arguments)
            #expect(try await command.exitCode() == 64, "\(command.error)")
            #expect(command.error.contains(hint), "\(command.error)")
        }
    }
}
