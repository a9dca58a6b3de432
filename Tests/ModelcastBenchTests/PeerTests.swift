import Foundation
import TestSupport
import Testing

@testable import ModelcastBench

/// Drivers that are scripts: what they print and how they end is all that is known of a driver.
@Suite(.timeLimit(.minutes(15))) struct PeerTests {
    private let folder: TemporaryDirectory
    private let peers: BenchPeers

    init() throws {
        folder = try TemporaryDirectory()
        var peers = BenchPeers(drivers: folder.path(""), redisPort: 1, natsPort: 2)
        peers.updates = 1_000
        self.peers = peers
    }

    private static func line(updates: Int = 1_000, received: Int, seconds: String = "0.5") -> String {
        #"{"server":"S 1.2","client":"c 3","updates":\#(updates),"received":\#(received),"fetched":7,"#
            + #""seconds":\#(seconds),"perSecond":2000}"#
    }

    private func peer(_ name: String) throws -> BenchPeer {
        try #require(BenchPeer.all(of: peers).first { $0.name == name })
    }

    /// Makes the driver of a peer of a few lines of shell.
    private func write(_ script: String, for peer: BenchPeer) throws {
        let path = peers.path(of: peer)
        try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    private func run(_ script: String, as name: String, secondsMost: Int = 30) async throws -> PeerReport {
        let peer = try peer(name)
        try write(script, for: peer)
        var run = PeerRun(peer: peer, peers: peers, models: 10, folder: URL(fileURLWithPath: folder.path("")))
        (run.secondsMost, run.secondsMore) = (secondsMost, 0)
        return try await run.measure()
    }

    /// The words with which a run fails.
    private func failure(_ script: String, as name: String = "Redis publish", secondsMost: Int = 30) async -> String {
        do {
            let report = try await run(script, as: name, secondsMost: secondsMost)
            return "no failure: \(report)"
        } catch {
            return "\(error)"
        }
    }

    private func missing(_ program: String) -> BenchError {
        BenchError("--peer-drivers: no program \(folder.path(program)); Scripts/bench-peers builds it")
    }

    @Test func `a driver's line becomes a rate and a note`() async throws {
        let report = try await run("echo '\(Self.line(received: 1_000))'", as: "Redis publish")
        #expect(report.perSecond == 2_000)
        let note = report.note(try peer("Redis publish"))
        #expect(note.hasPrefix("Redis publish: S 1.2, c 3. "))
        #expect(!note.contains("replaced"))
    }

    @Test func `a driver is told port, updates and models`() async throws {
        let script = #"echo "$*" >&2; exit 1"#
        #expect(
            await failure(script)
                == "Redis publish: publish --port 1 --updates 1000 --models 10 --seconds-max 30")
        #expect(
            await failure(script, as: "NATS JetStream key-value, in memory")
                == "NATS JetStream key-value, in memory: keyvalue --storage memory --port 2 --updates 1000 --models 10 "
                + "--seconds-max 30")
    }

    @Test func `a lost message is an error where none may be replaced`() async throws {
        let script = "echo '\(Self.line(received: 999))'"
        #expect(await failure(script) == "Redis publish: 999 of 1000 updates arrived; no figure counts")
        let report = try await run(script, as: "Redis hash and tracking")
        #expect(
            report.note(try peer("Redis hash and tracking")).contains(
                "Of 1,000 updates 999 were told of, and 7 hashes were fetched"))
    }

    @Test(arguments: [
        line(updates: 999, received: 999), line(received: 1_000, seconds: "0"), line(received: -1),
    ])
    func `a report about something else is an error`(line: String) async {
        #expect(await failure("echo '\(line)'").contains("told of something else"))
    }

    @Test func `nothing or too much received is an error`() async {
        for received in [0, 1_001] {
            let words = await failure("echo '\(Self.line(received: received))'", as: "Redis hash and tracking")
            #expect(words.contains("\(received) of 1000 updates arrived"))
        }
    }

    @Test func `the words of a driver that fails are the error`() async {
        let words = await failure("echo 'redis-peer: message 7 has been lost' >&2; exit 1")
        #expect(words == "Redis publish: redis-peer: message 7 has been lost")
    }

    @Test func `a driver that says what is no report is an error`() async {
        #expect(await failure("echo hello").contains("said what is no report: hello"))
        #expect(await failure("exit 0").contains("has ended before it should"))
    }

    @Test func `a driver that fails after its report has no figure`() async {
        let words = await failure("echo '\(Self.line(received: 1_000))'; exit 3")
        #expect(words.contains("did not end well, exit code 3"))
    }

    @Test func `a driver that takes too long is ended`() async throws {
        let pidPath = folder.path("pid")
        let words = await failure("echo $$ >'\(pidPath)'; exec sleep 1000", secondsMost: 1)
        #expect(words.contains("did not answer within"))
        let text = try String(contentsOfFile: pidPath, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let pid = try #require(Int32(text))
        #expect(await eventually { kill(pid, 0) != 0 })
    }

    @Test func `a cancelled measurement ends its driver`() async throws {
        let pidPath = folder.path("pid")
        let measuring = Task { await failure("echo $$ >'\(pidPath)'; exec sleep 1000") }
        var pid: Int32 = 0
        let isThere = await eventually {
            let text = (try? String(contentsOfFile: pidPath, encoding: .utf8)) ?? ""
            guard text.hasSuffix("\n"), let number = Int32(text.dropLast()) else { return false }
            pid = number
            return true
        }
        try #require(isThere)
        measuring.cancel()
        #expect(await measuring.value.contains("Cancellation"))
        #expect(await eventually { kill(pid, 0) != 0 })
    }

    @Test func `a program that is missing is named before anything runs`() throws {
        #expect(throws: missing("redis-peer")) { try peers.check() }
        try write("exit 0", for: peer("Redis publish"))
        #expect(throws: missing("nats-peer")) { try peers.check() }
        // Without a port no program is needed.
        try BenchPeers(drivers: peers.drivers, redisPort: 1).check()
        try write("exit 0", for: peer("NATS JetStream key-value, in files"))
        try peers.check()
    }

    @Test func `drivers without a server are an error`() {
        #expect(throws: BenchError.self) { try BenchPeers(drivers: folder.path("")).check() }
    }

    @Test func `only peers whose server is there are measured, and only they need naming`() {
        #expect(BenchPeer.all(of: BenchPeers(drivers: "", natsPort: 1)).map(\.program) == ["nats-peer", "nats-peer"])
        #expect(BenchPeer.all(of: peers).count == 4)
        #expect(!BenchPlan().scenarios.contains(.peers))
    }

    @Test func `the settings of a run say which servers stood beside it`() {
        var plan = BenchPlan()
        #expect(plan.settings.contains { $0.name == "peers" && $0.value == "none" })
        plan.peers = BenchPeers(drivers: "d", redisPort: 7)
        let value = "Redis at port 7, 500,000 updates, drivers in d"
        #expect(plan.settings.contains { $0.name == "peers" && $0.value == value })
    }
}
