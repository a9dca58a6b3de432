import Foundation
import TestSupport
import Testing

/// Jobs with a store that are run again: exit code 0 means that the relay holds all, whichever run has published it.
@Suite(.serialized, .timeLimit(.minutes(15))) struct PushStoreCommandTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func control(_ relay: String) -> String { "ipc://\(folder.path(relay))" }

    private func lines(_ ids: Range<Int>) -> String {
        ids.map { #"{"id":"\#($0)","n":\#($0)}"# + "\n" }.joined()
    }

    /// Starts a relay, with nothing but what its file holds, if it has one.
    private func startRelay(_ name: String, hasStore: Bool = false) async throws -> RunningCommand {
        let store = hasStore ? ["--store", folder.path("\(name).store")] : []
        let relay = try RunningCommand(["relay", "--name", name, "--bind", control(name)] + store)
        _ = try await relay.endpoint()
        return relay
    }

    private func job(
        to relays: [String], _ arguments: [String] = [], timeout: String = "60", input: String?
    ) throws -> RunningCommand {
        try RunningCommand(
            ["publish", "--name", "job", "--type", "T", "--id-field", "id", "--timeout", timeout, "--store"]
                + [folder.path("job.store")] + relays.flatMap { ["--push", control($0)] } + arguments, input: input)
    }

    private func ended(_ command: RunningCommand, _ signal: Int32) async throws {
        command.signal(signal)
        _ = try await command.exitCode()
    }

    /// How many models a holder has, as `digest` says it.
    private func count(_ relay: String) async throws -> String? {
        let command = try RunningCommand(["digest", "--connect", control(relay)])
        #expect(try await command.exitCode() == 0)
        return command.output.split(separator: " ").dropFirst().first.map(String.init)
    }

    @Test(
        arguments: [
            ("none", "none"), ("before-send", "before-send"), ("before-acknowledge", "before-acknowledge"),
            ("none", "before-send"), ("before-acknowledge", "none"),
        ])
    func `after a run that was killed the relays hold what the next one's input says`(
        killed: String, next: String
    ) async throws {
        let relay = try await startRelay("r")
        let arguments = ["--durability", next]
        let first = try job(to: ["r"], arguments, input: #"{"id":"1","n":1}"# + "\n")
        #expect(try await first.exitCode() == 0)
        // Killed as soon as the relay has it: without durability the file lacks what was written in the last second.
        let path = folder.path("followed")
        try #"{"id":"1","n":2}\#n{"id":"2","n":2}\#n"#.write(toFile: path, atomically: false, encoding: .utf8)
        let second = try job(to: ["r"], ["--durability", killed, "--follow", path], input: nil)
        var held: String?
        for _ in 0..<1_000 where held != "2" { held = try await count("r") }
        #expect(held == "2")
        try await ended(second, SIGKILL)
        let third = try job(to: ["r"], arguments, input: #"{"id":"1","n":1}"# + "\n")
        #expect(try await third.exitCode() == 0, "\(third.error)")
        let get = try RunningCommand(["get", "--connect", control("r"), "T", "1", "2"])
        #expect(try await get.exitCode() == 0)
        #expect(get.output.contains(#""n":1"#), "\(get.output)")
        // What the run that was killed has written beside it is there still, and known to the next.
        let whole = try job(to: ["r"], arguments + ["--whole"], input: #"{"id":"1","n":1}"# + "\n")
        #expect(try await whole.exitCode() == 0)
        #expect(whole.error.contains("1 deleted"), "\(whole.error)")
        try await ended(relay, SIGTERM)
    }

    @Test func `what a run that was killed had pushed is asked for until every relay has answered`() async throws {
        let relays = [try await startRelay("a"), try await startRelay("b")]
        let first = try job(to: ["a", "b"], ["--acknowledged-by", "every"], input: #"{"id":"1","n":1}"# + "\n")
        #expect(try await first.exitCode() == 0)
        let path = folder.path("followed")
        try #"{"id":"1","n":2}\#n{"id":"2","n":2}\#n"#.write(toFile: path, atomically: false, encoding: .utf8)
        let killed = try job(to: ["a", "b"], ["--follow", path], input: nil)
        for relay in ["a", "b"] {
            var held: String?
            for _ in 0..<1_000 where held != "2" { held = try await count(relay) }
            #expect(held == "2")
        }
        try await ended(killed, SIGKILL)
        // A run that reaches nobody, or with every not all, fails; the next one asks again, although this one has
        // closed the store.
        relays[0].signal(SIGSTOP)
        relays[1].signal(SIGSTOP)
        let blind = try job(to: ["a", "b"], timeout: "1", input: #"{"id":"1","n":1}"# + "\n")
        #expect(try await blind.exitCode() == 1)
        #expect(blind.error.contains("none could be asked"), "\(blind.error)")
        relays[1].signal(SIGCONT)
        let half = try job(
            to: ["a", "b"], ["--acknowledged-by", "every"], timeout: "2", input: #"{"id":"1","n":1}"# + "\n")
        #expect(try await half.exitCode() == 1)
        #expect(half.error.contains("not every relay could be asked"), "\(half.error)")
        relays[0].signal(SIGCONT)
        let last = try job(to: ["a", "b"], ["--acknowledged-by", "every"], input: #"{"id":"1","n":1}"# + "\n")
        #expect(try await last.exitCode() == 0, "\(last.error)")
        for relay in ["a", "b"] {
            let get = try RunningCommand(["get", "--connect", control(relay), "T", "1"])
            #expect(try await get.exitCode() == 0)
            #expect(get.output.contains(#""n":1"#), "\(relay): \(get.output)")
        }
        for relay in relays { try await ended(relay, SIGTERM) }
    }

    @Test func `a store that was put back from a backup without its mark takes back what relays hold`() async throws {
        let relay = try await startRelay("r")
        let first = try job(to: ["r"], input: #"{"id":"1","n":1}"# + "\n")
        #expect(try await first.exitCode() == 0)
        let (store, backup) = (folder.path("job.store"), folder.path("backup"))
        try FileManager.default.copyItem(atPath: store, toPath: backup)
        let second = try job(to: ["r"], input: #"{"id":"1","n":2}"# + "\n")
        #expect(try await second.exitCode() == 0)
        for name in [store, store + "-wal", store + "-shm", store + "-mark"] {
            try? FileManager.default.removeItem(atPath: name)
        }
        try FileManager.default.copyItem(atPath: backup, toPath: store)
        let third = try job(to: ["r"], input: #"{"id":"1","n":1}"# + "\n")
        #expect(try await third.exitCode() == 0, "\(third.error)")
        let get = try RunningCommand(["get", "--connect", control("r"), "T", "1"])
        #expect(try await get.exitCode() == 0)
        #expect(get.output.contains(#""n":1"#), "\(get.output)")
        try await ended(relay, SIGTERM)
    }

    @Test func `what was published before the input failed is pushed`() async throws {
        let relay = try await startRelay("r")
        let strict = try job(to: ["r"], ["--strict"], input: #"{"id":"s"}"# + "\nx\n")
        #expect(try await strict.exitCode() == 1)
        #expect(try await count("r") == "1")
        let whole = try job(
            to: ["r"], ["--whole", "--delete-at-most", "0"], input: #"{"id":"t"}"# + "\n" + #"{"id":"u"}"# + "\n")
        #expect(try await whole.exitCode() == 1)
        #expect(whole.error.contains("nothing was deleted"), "\(whole.error)")
        #expect(try await count("r") == "3")
        try await ended(relay, SIGTERM)
    }

    @Test func `models that may go are gone from the relay when a job of which no line was taken ends with 1`()
        async throws
    {
        let relay = try await startRelay("r")
        let first = try job(to: ["r"], ["--whole"], input: lines(0..<3))
        #expect(try await first.exitCode() == 0, "\(first.error)")
        let wrong = try job(
            to: ["r"], ["--whole", "--delete-at-most", "100%", "--id-field", "key"], input: lines(0..<3))
        #expect(try await wrong.exitCode() == 1)
        #expect(wrong.error.contains("3 refused, 3 deleted"), "\(wrong.error)")
        #expect(wrong.error.contains("not one line could be taken, and 3 models were deleted"), "\(wrong.error)")
        let get = try RunningCommand(["get", "--connect", control("r"), "T", "0", "1", "2"])
        #expect(try await get.exitCode() == 1)
        #expect(get.output.isEmpty, "\(get.output)")
        try await ended(relay, SIGTERM)
    }

    @Test(arguments: ["none", "before-send", "before-acknowledge"])
    func `what a run published while the relay was down is there when the next one ends well`(
        durability: String
    ) async throws {
        let arguments = ["--durability", durability, "--whole"]
        let first = try job(to: ["r"], arguments, timeout: "0.5", input: lines(0..<300))
        #expect(try await first.exitCode() == 1)
        let second = try job(to: ["r"], arguments, timeout: "0.5", input: lines(0..<300))
        #expect(try await second.exitCode() == 1)
        #expect(second.error.contains("the models of earlier runs were not acknowledged after"), "\(second.error)")
        let relay = try await startRelay("r")
        let third = try job(to: ["r"], arguments, input: lines(0..<300))
        #expect(try await third.exitCode() == 0, "\(third.error)")
        #expect(third.error.contains("0 published, 300 unchanged"))
        #expect(try await count("r") == "300")
        // A delete that nobody has heard of is no different.
        relay.signal(SIGSTOP)
        let fourth = try job(to: ["r"], arguments, timeout: "0.5", input: lines(0..<200))
        #expect(try await fourth.exitCode() == 1)
        #expect(fourth.error.contains("100 deleted"))
        relay.signal(SIGCONT)
        let fifth = try job(to: ["r"], arguments, input: lines(0..<200))
        #expect(try await fifth.exitCode() == 0, "\(fifth.error)")
        #expect(try await count("r") == "200")
        try await ended(relay, SIGTERM)
    }

    @Test func `with every, a relay that was down in an earlier run holds all when this one ends well`() async throws {
        let arguments = ["--acknowledged-by", "every"]
        let first = try await startRelay("a")
        let early = try job(to: ["a", "b"], arguments, timeout: "1", input: lines(0..<300))
        #expect(try await early.exitCode() == 1)
        let second = try await startRelay("b")
        let late = try job(to: ["a", "b"], arguments, input: lines(0..<300))
        #expect(try await late.exitCode() == 0, "\(late.error)")
        #expect(try await count("a") == "300")
        #expect(try await count("b") == "300")
        // Another list of relays.
        let third = try await startRelay("c", hasStore: true)
        let other = try job(to: ["c"], input: lines(0..<300))
        #expect(try await other.exitCode() == 0, "\(other.error)")
        #expect(try await count("c") == "300")
        for relay in [first, second, third] { try await ended(relay, SIGTERM) }
    }

    @Test func `a relay without a store that was started again is given all once more`() async throws {
        let first = try await startRelay("r")
        let early = try job(to: ["r"], input: lines(0..<300))
        #expect(try await early.exitCode() == 0, "\(early.error)")
        try await ended(first, SIGKILL)
        let second = try await startRelay("r")
        let late = try job(to: ["r"], input: lines(0..<300))
        #expect(try await late.exitCode() == 0, "\(late.error)")
        #expect(try await count("r") == "300")
        // While a job runs that has written nothing yet.
        let open = try job(to: ["r"], input: nil)
        try await ended(second, SIGKILL)
        let third = try await startRelay("r")
        try open.input?.write(contentsOf: Data(lines(300..<301).utf8))
        try open.input?.close()
        #expect(try await open.exitCode() == 0, "\(open.error)")
        #expect(try await count("r") == "301")
        try await ended(third, SIGTERM)
    }

    @Test func `what a job that was killed had written is there when the next one ends well`() async throws {
        let arguments = ["--durability", "before-acknowledge"]
        let killed = try job(to: ["r"], arguments, input: lines(0..<300))
        let isWritten = await eventually { killed.error.contains("300 published") }
        try #require(isWritten, "\(killed.error)")
        // A run that waits for the disk as well, and then for the relay.
        try await ended(killed, SIGKILL)
        let relay = try await startRelay("r")
        let next = try job(to: ["r"], arguments, input: lines(0..<300))
        #expect(try await next.exitCode() == 0, "\(next.error)")
        #expect(try await count("r") == "300")
        try await ended(relay, SIGTERM)
    }
}
