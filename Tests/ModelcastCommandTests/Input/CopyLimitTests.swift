import Foundation
import Modelcast
import TestSupport
import Testing

@testable import ModelcastCommand

/// `modelcast subscribe --limit`: a copy that keeps what is used.
@Suite struct CopyLimitTests {
    @Test(arguments: [
        ("User=100000,1GiB,1h", "User", ModelLimits(count: 100_000, bytes: 1 << 30, idle: .seconds(3600))),
        ("User=5", "User", ModelLimits(count: 5)),
        ("User=,64KiB", "User", ModelLimits(bytes: 65_536)),
        ("User=,,90", "User", ModelLimits(idle: .seconds(90))),
        ("7,,5m", nil, ModelLimits(count: 7, idle: .seconds(300))),
    ])
    func `a limit has a count, bytes and an idle time, each of which may be empty`(
        text: String, type: String?, limits: ModelLimits
    ) throws {
        let limit = try #require(CopyLimit(argument: text))
        #expect(limit.type == type)
        #expect(limit.limits == limits)
    }

    @Test(arguments: ["", "User=", "User=,,", "User=x", "User=1,2,3,4", "User=1.5", "User=1,x", "User=1,,x", ",,"])
    func `what is no limit is refused`(text: String) { #expect(CopyLimit(argument: text) == nil) }

    @Test(arguments: [
        (["User=0"], "at least 1 has to fit"), (["User=5", "User=6"], "two --limit are of the type User"),
        (["5", "6"], "two --limit are of all types together"), (["User=50", "10"], "one of the two is wrong"),
        (["User=,5"], "at least 1024 are needed"), (["User=,,5ms"], "one second is the least"),
    ])
    func `limits that cannot be kept end the command with what is wrong`(
        limits: [String], words: String
    ) async throws {
        let command = try RunningCommand(
            ["subscribe", "--connect", "tcp://127.0.0.1:1"] + limits.flatMap { ["--limit", $0] })
        #expect(try await command.exitCode() == 64)
        #expect(command.error.contains(words), "\(command.error)")
    }

    /// Starts a publisher of fifty models, and a subscriber of it that can be asked in a folder.
    private static func start(
        at folder: TemporaryDirectory, _ options: [String]
    ) async throws -> (publisher: RunningCommand, subscriber: RunningCommand) {
        let lines = (1...50).map { "{\"id\":\"\($0)\",\"a\":\($0)}\n" }.joined()
        let publisher = try RunningCommand(CommandTests.publish, input: lines)
        #expect(await eventually { publisher.error.contains("50 published") })
        let subscriber = try RunningCommand(
            ["subscribe", "--connect", try await publisher.endpoint(), "--control", "ipc://\(folder.path("s"))"]
                + options)
        #expect(await eventually { FileManager.default.fileExists(atPath: folder.path("s")) })
        return (publisher, subscriber)
    }

    @Test func `get at a subscriber with a limit tells models that have left from those that do not exist`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let endpoint = "ipc://\(folder.path("s"))"
        let (publisher, subscriber) = try await CopyLimitTests.start(at: folder, ["--limit", "1", "--no-changes"])
        let ids = (1...51).map(String.init)
        func ask() async throws -> String {
            let get = try RunningCommand(["get", "--connect", endpoint, "T"] + ids)
            #expect(try await get.exitCode() == 1)
            return get.error
        }
        var error = ""
        // Until the copy is whole nothing has left it.
        for _ in 0..<100 where !error.contains("is not in the copy") { error = try await ask() }
        #expect(error.components(separatedBy: "is not in the copy").count - 1 == 49, "\(error)")
        #expect(error.contains("T 51 does not exist"), "\(error)")
        let get = try RunningCommand(["get", "--fetch", "--connect", endpoint, "T"] + ids)
        #expect(try await get.exitCode() == 1)
        #expect(get.objects.count == 50 && !get.error.contains("not in the copy"), "\(get.error)")
        #expect(get.error.contains("T 51 does not exist"), "\(get.error)")
        for command in [subscriber, publisher] { command.signal(SIGTERM) }
        withExtendedLifetime(folder) {}
    }

    @Test func `a subscriber that takes nothing by itself holds what get --fetch has asked for`() async throws {
        let folder = try TemporaryDirectory()
        let endpoint = "ipc://\(folder.path("s"))"
        let (publisher, subscriber) = try await CopyLimitTests.start(at: folder, ["--prefetch", "none", "--models"])
        let get = try RunningCommand(["get", "--fetch", "--connect", endpoint, "T", "7", "9", "none"])
        #expect(try await get.exitCode() == 1)
        #expect(get.objects.count == 2, "\(get.error)")
        #expect(get.error.contains("T none does not exist"), "\(get.error)")
        let without = try RunningCommand(["get", "--connect", endpoint, "T", "7", "8"])
        #expect(try await without.exitCode() == 1)
        #expect(without.objects.count == 1 && without.error.contains("T 8 is not in the copy"), "\(without.error)")
        subscriber.signal(SIGTERM)
        #expect(try await subscriber.exitCode() == 0)
        // A change for each, and each once more at the end.
        #expect(subscriber.objects.count == 4, "\(subscriber.output)")
        publisher.signal(SIGTERM)
        withExtendedLifetime(folder) {}
    }

    @Test func `a subscriber to the ids tells what does not exist apart from what it does not hold`() async throws {
        let folder = try TemporaryDirectory()
        let endpoint = "ipc://\(folder.path("s"))"
        let (publisher, subscriber) = try await CopyLimitTests.start(at: folder, ["--prefetch", "ids", "--no-changes"])
        var error = ""
        for _ in 0..<100 where !error.contains("T 8 is not in the copy") {
            let get = try RunningCommand(["get", "--connect", endpoint, "T", "8", "none"])
            #expect(try await get.exitCode() == 1)
            error = get.error
        }
        #expect(error.contains("T 8 is not in the copy") && error.contains("T none does not exist"), "\(error)")
        let get = try RunningCommand(["get", "--fetch", "--connect", endpoint, "T", "8"])
        #expect(try await get.exitCode() == 0)
        #expect(get.objects.count == 1, "\(get.error)")
        for command in [subscriber, publisher] { command.signal(SIGTERM) }
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [
        (["--prefetch", "none"], "add --control"), (["--prefetch", "some"], "prefetch"),
        (["--prefetch", "none", "--control", "tcp://127.0.0.1:*", "--store", "s"], "with --prefetch none none do"),
        (["--prefetch", "ids"], "--prefetch ids takes no model unless"), (["--evictions"], "add --limit"),
    ])
    func `a copy that could hold nothing is refused with what is wrong`(options: [String], words: String) async throws {
        let command = try RunningCommand(["subscribe", "--connect", "tcp://127.0.0.1:1"] + options)
        #expect(try await command.exitCode() == 64)
        #expect(command.error.contains(words), "\(command.error)")
    }

    @Test func `a subscriber tells the port that the system has chosen for those who ask it`() async throws {
        let subscriber = try RunningCommand([
            "subscribe", "--connect", "tcp://127.0.0.1:1", "--prefetch", "none", "--control", "tcp://127.0.0.1:*",
        ])
        #expect(await eventually { subscriber.error.contains(/control tcp:\/\/127\.0\.0\.1:[0-9]+\n/) })
        subscriber.signal(SIGTERM)
    }

    @Test func `with --evictions a subscriber prints what leaves its copy, too`() async throws {
        let folder = try TemporaryDirectory()
        let (publisher, subscriber) = try await CopyLimitTests.start(at: folder, ["--limit", "T=5", "--evictions"])
        #expect(await eventually { subscriber.output.components(separatedBy: "\"evicted\"").count == 46 })
        for command in [subscriber, publisher] { command.signal(SIGTERM) }
        withExtendedLifetime(folder) {}
    }

    @Test func `a subscriber with a limit prints what comes, and holds so many models at its end`() async throws {
        let lines = (1...200).map { "{\"id\":\"\($0)\",\"a\":\($0)}\n" }.joined()
        let publisher = try RunningCommand(CommandTests.publish, input: lines)
        #expect(await eventually { publisher.error.contains("200 published") })
        let subscriber = try RunningCommand(
            [
                "subscribe", "--connect", try await publisher.endpoint(), "--limit", "20", "--until-live", "--models",
                "--no-changes",
            ])
        #expect(try await subscriber.exitCode() == 0)
        #expect((1...20).contains(subscriber.objects.count), "\(subscriber.objects.count)")
    }
}
