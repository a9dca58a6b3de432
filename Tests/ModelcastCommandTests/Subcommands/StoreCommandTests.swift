import Foundation
import TestSupport
import Testing

/// Processes with a store that are killed, and what the next ones find.
@Suite(.serialized, .timeLimit(.minutes(15))) struct StoreCommandTests {
    private let folder: TemporaryDirectory
    private var control: String { "ipc://\(folder.path("relay"))" }
    private var relayArguments: [String] {
        ["relay", "--name", "r", "--bind", control, "--store", folder.path("r.store")]
    }

    init() throws { folder = try TemporaryDirectory() }

    private func lines(_ ids: Range<Int>) -> String {
        ids.map { #"{"id":"\#($0)","n":\#($0)}"# + "\n" }.joined()
    }

    private func job(_ arguments: [String] = [], input: String) throws -> RunningCommand {
        try RunningCommand(
            ["publish", "--name", "job", "--push", control, "--type", "T", "--id-field", "id", "--timeout", "300"]
                + arguments, input: input)
    }

    private func ended(_ command: RunningCommand, _ signal: Int32) async throws {
        command.signal(signal)
        _ = try await command.exitCode()
    }

    /// What `digest` says of a holder.
    private func digest(_ endpoint: String) async throws -> String {
        let command = try RunningCommand(["digest", "--connect", endpoint])
        #expect(try await command.exitCode() == 0)
        return command.output
    }

    @Test func `a relay that is killed after it has acknowledged has every model when it is back`() async throws {
        let relay = try RunningCommand(relayArguments)
        _ = try await relay.endpoint()
        let first = try job(input: lines(0..<3_000))
        #expect(try await first.exitCode() == 0)
        try await ended(relay, SIGKILL)

        let second = try RunningCommand(relayArguments)
        let endpoint = try await second.endpoint()
        #expect(try await digest(endpoint).hasPrefix("T 3000 "))
        // A later start of the job has no models of its own: it takes them back, and deletes what is gone.
        let next = try job(["--whole", "--recover-from", endpoint], input: lines(0..<2_000))
        #expect(try await next.exitCode() == 0)
        #expect(next.error.contains("0 published, 2000 unchanged, 0 refused, 1000 deleted"))
        #expect(try await digest(endpoint).hasPrefix("T 2000 "))
        try await ended(second, SIGTERM)
    }

    @Test func `a publisher that is killed goes on with what it had sent, and deletes what is gone`() async throws {
        let arguments = [
            "publish", "--name", "p", "--bind", control, "--type", "T", "--id-field", "id", "--whole", "--store",
            folder.path("p.store"), "--durability", "before-send",
        ]
        let subscriber = try RunningCommand(["subscribe", "--connect", control])
        let first = try RunningCommand(arguments, input: lines(0..<300))
        let hasAll = await eventually { subscriber.objects.count == 300 }
        try #require(hasAll, "\(subscriber.error)")
        try await ended(first, SIGKILL)

        let second = try RunningCommand(arguments, input: lines(0..<200))
        let isRead = await eventually { second.error.contains("deleted") }
        try #require(isRead, "\(second.error)")
        #expect(second.error.contains("0 published, 200 unchanged, 0 refused, 100 deleted"))
        #expect(await eventually { subscriber.objects.count { $0["new"] is NSNull } == 100 })
        #expect(subscriber.objects.count == 400)
        try await ended(second, SIGTERM)
        try await ended(subscriber, SIGTERM)
    }

    @Test func `a subscriber prints from its file what it knew, though nobody answers`() async throws {
        let publisher = try RunningCommand(
            ["publish", "--name", "p", "--bind", control, "--type", "T", "--id-field", "id"], input: lines(0..<100))
        let arguments = ["subscribe", "--connect", control, "--store", folder.path("s.store")]
        _ = try await publisher.endpoint()
        let isRead = await eventually { publisher.error.contains("100 published") }
        try #require(isRead, "\(publisher.error)")
        let first = try RunningCommand(arguments + ["--until-live", "--no-changes", "--models"])
        #expect(try await first.exitCode() == 0)
        #expect(first.objects.count == 100)
        try await ended(publisher, SIGTERM)

        let second = try RunningCommand(arguments)
        #expect(await eventually { second.objects.count == 100 })
        let third = try RunningCommand(arguments)
        #expect(try await third.exitCode() == 1)
        #expect(third.error.contains("in use"))
        try await ended(second, SIGTERM)
    }

    @Test func `a publisher whose file is damaged takes its models back from a relay`() async throws {
        let relay = try RunningCommand(relayArguments)
        let endpoint = try await relay.endpoint()
        let path = folder.path("job.store")
        func run(
            _ ids: Range<Int>, recoverFrom source: String, limit: String = "300"
        ) async throws -> (Int32?, String) {
            let command = try job(
                ["--whole", "--store", path, "--recover-from", source, "--timeout", limit], input: lines(ids))
            return (try await command.exitCode(), command.error)
        }
        func damage() throws {
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: path))
        }
        let nobody = "ipc://\(folder.path("nobody"))"
        let first = try await run(0..<300, recoverFrom: endpoint)
        #expect(first.0 == 0, "\(first.1)")
        // The file is whole: nobody is asked.
        let second = try await run(0..<300, recoverFrom: nobody)
        #expect(second.0 == 0, "\(second.1)")
        #expect(second.1.contains("0 published, 300 unchanged"))

        // It is not, and nobody answers: nothing is published, and the next start does not take the new, empty file for
        // all that there was.
        try damage()
        let third = try await run(0..<200, recoverFrom: nobody, limit: "0.5")
        #expect(third.0 == 1)
        #expect(third.1.contains("no answer from \(nobody)"), "\(third.1)")
        let fourth = try await run(0..<200, recoverFrom: endpoint)
        #expect(fourth.0 == 0, "\(fourth.1)")
        #expect(fourth.1.contains("0 published, 200 unchanged, 0 refused, 100 deleted"), "\(fourth.1)")
        #expect(try await digest(endpoint).hasPrefix("T 200 "))
        let fifth = try await run(0..<200, recoverFrom: nobody)
        #expect(fifth.0 == 0, "\(fifth.1)")
        try await ended(relay, SIGTERM)
    }

    @Test func `one flipped bit in the log of a killed relay is told, with the commits that are gone`() async throws {
        let relay = try RunningCommand(relayArguments)
        _ = try await relay.endpoint()
        let log = URL(fileURLWithPath: folder.path("r.store-wal"))
        // The length of the log when the first job's push was confirmed: the damage comes after it, so that a batch is
        // left whose time can be told.
        var confirmed = 0
        for round in 0..<3 {
            let job = try job(["--name", "job\(round)"], input: lines(round * 100..<round * 100 + 100))
            #expect(try await job.exitCode() == 0)
            if round == 0 { confirmed = try Data(contentsOf: log).count }
        }
        try await ended(relay, SIGKILL)
        var bytes = try Data(contentsOf: log)
        try #require(bytes.count > confirmed + 1_000)
        bytes[confirmed + 500] ^= 4
        try bytes.write(to: log)

        let second = try RunningCommand(relayArguments)
        _ = try await second.endpoint()
        #expect(second.error.contains("are gone"), "\(second.error)")
        #expect(second.error.contains("r.store.corrupt-"), "\(second.error)")
        #expect(second.error.contains("run the jobs of that time again"), "\(second.error)")
        // The time of the jobs whose pushes are gone: from the last batch that is still there until the kill.
        #expect(second.error.contains(#/commits \d+ to \d+ \(from \S+T\S+Z until \S+T\S+Z\) are gone/#))
        try await ended(second, SIGTERM)
        // It is said once: the new file is whole.
        let third = try RunningCommand(relayArguments)
        _ = try await third.endpoint()
        #expect(!third.error.contains("are gone"), "\(third.error)")
        try await ended(third, SIGTERM)
    }

    @Test func `a relay whose file is no database any more says which commits are gone, and what to do`() async throws {
        let relay = try RunningCommand(relayArguments)
        _ = try await relay.endpoint()
        let job = try job(input: lines(0..<100))
        #expect(try await job.exitCode() == 0)
        try await ended(relay, SIGTERM)
        // One letter of the words with which an SQLite file begins.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.path("r.store")))
        try file.write(contentsOf: Data("s".utf8))
        try file.close()

        let second = try RunningCommand(relayArguments)
        _ = try await second.endpoint()
        #expect(second.error.contains("r.store.corrupt-"), "\(second.error)")
        #expect(
            second.error.contains(
                #/everything that it held: commits 1 to \d+ \(from \S+T\S+Z until \S+T\S+Z\) are gone/#))
        #expect(second.error.contains("run the jobs of that time again"), "\(second.error)")
        try await ended(second, SIGTERM)
        // It is said once: the new file is whole.
        let third = try RunningCommand(relayArguments)
        _ = try await third.endpoint()
        #expect(!third.error.contains("are gone"), "\(third.error)")
        try await ended(third, SIGTERM)
    }

    @Test func `a relay refuses the store of a relay of another name`() async throws {
        let relay = try RunningCommand(relayArguments)
        _ = try await relay.endpoint()
        try await ended(relay, SIGTERM)
        let other = try RunningCommand([
            "relay", "--name", "other", "--bind", control, "--store", folder.path("r.store"),
        ])
        #expect(try await other.exitCode() == 1)
        #expect(other.error.contains("it is the store of the relay r, not of other"), "\(other.error)")
        #expect(!other.error.contains("not a store"), "\(other.error)")
    }

    @Test func `recovering from nobody fails in time`() async throws {
        let command = try RunningCommand([
            "publish", "--name", "p", "--bind", "tcp://127.0.0.1:*", "--type", "T", "--id-field", "id",
            "--recover-from", control, "--timeout", "0.5",
        ])
        #expect(try await command.exitCode() == 1)
        #expect(command.error.contains("no answer from \(control)"))
    }

    @Test(arguments: [
        (["--durability", "before-send"], "it needs --store"),
        (["--store", "a", "--durability", "always"], "before-send"),
    ])
    func `options that contradict each other are refused`(options: [String], words: String) async throws {
        let command = try RunningCommand(CommandTests.publish + options)
        #expect(try await command.exitCode() == 64)
        #expect(command.error.contains(words))
    }
}
