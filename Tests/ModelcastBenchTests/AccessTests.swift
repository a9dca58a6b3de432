import Foundation
import Logging
import Modelcast
import TestSupport
import Testing

@testable import ModelcastBench

/// The tries of the demo's intruder, also against processes that let it in too far: a denial is told only where there
/// was one.
@Suite(.timeLimit(.minutes(15))) struct AccessTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let server: Curve.KeyPair
    private let intruder: Curve.KeyPair

    init() throws { (server, intruder) = (try Curve.KeyPair(), try Curve.KeyPair()) }

    /// The keys of a server that grants the intruder these rights; nil for no line.
    private func serving(_ rights: String?) throws -> Security {
        let other = "grant \(server.publicKey.z85) server operate\n"
        let line = rights.map { "grant \(intruder.publicKey.z85) intruder \($0)\n" } ?? ""
        return Security(keys: server, access: Access(try Grants(parsing: other + line)))
    }

    /// The outcome of one try of the intruder.
    private func outcome(
        _ action: AccessAttempt.Action, at endpoint: String, within limit: Duration = .seconds(60)
    ) async -> AttemptReport.Outcome {
        let attempt = AccessAttempt(action: action, server: "server", endpoint: endpoint, isGranted: false)
        let keys = WorkerKeys(key: "", grants: nil)
        let worker = AttemptWorker(name: "intruder", keys: keys, attempts: [attempt], limit: limit)
        let security = Security(keys: intruder, serversByEndpoint: [endpoint: server.publicKey])
        let report = await worker.result(of: attempt, security)
        let result = DemoAccess.Result(name: "intruder", attempt: attempt, report: report)
        #expect(result.isRight == (report.outcome == .denied), "\(report)")
        return report.outcome
    }

    /// Runs `body` with the endpoints of a publisher of this host's counters, as the demo has one.
    private func withPublisher(_ rights: String?, _ body: (SenderEndpoints) async throws -> Void) async throws {
        var configuration = PublisherConfiguration(
            name: "host", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
        configuration.security = try serving(rights)
        let publisher = try Publisher(configuration, logger: logger)
        let gauge = LoadGauge()
        let running = Task { try await publisher.run() }
        let writing = Task { try await Blocking.run(named: "load") { try HostLoad().run(publisher, gauge: gauge) } }
        #expect(await eventually { publisher.cache.count(of: "Process") > 0 })
        let result: Result<Void, any Error>
        do { result = .success(try await body(publisher.boundEndpoints)) } catch { result = .failure(error) }
        gauge.stop()
        _ = await writing.result
        running.cancel()
        _ = await running.result
        try result.get()
    }

    @Test func `reading is denied as far as it was not granted, and told where it was not denied`() async throws {
        try await withPublisher("subscribe:Host") { end in
            #expect(await outcome(.ask(type: "Process", held: 1), at: end.control) == .denied)
            #expect(await outcome(.ask(type: "Host", held: 1), at: end.control) == .done)
            #expect(await outcome(.listen(granted: "Host"), at: end.control) == .denied)
            #expect(await outcome(.join(stream: end.stream), at: end.control) == .denied)
        }
        try await withPublisher("subscribe:*") { end in
            #expect(await outcome(.ask(type: "Process", held: 1), at: end.control) == .done)
            #expect(await outcome(.listen(granted: "Host"), at: end.control) == .done)
            #expect(await outcome(.join(stream: end.stream), at: end.control) == .done)
        }
        try await withPublisher(nil) { end in
            #expect(await outcome(.ask(type: "Process", held: 1), at: end.control) == .denied)
            #expect(await outcome(.listen(granted: nil), at: end.control) == .denied)
        }
    }

    @Test func `a push is denied as far as it was not granted, and told where it was not denied`() async throws {
        for (rights, expected) in [
            ("publish:* origin=*", AttemptReport.Outcome.done), ("publish:Host origin=shop", .denied),
            ("publish:Product origin=job", .denied), ("subscribe:*", .denied), (nil, .denied),
        ] {
            var configuration = RelayConfiguration(
                name: "relay", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"), publishers: [])
            configuration.security = try serving(rights)
            let relay = try Relay(configuration, logger: logger)
            let running = Task { try await relay.run() }
            let control = try await relay.boundEndpoints.control
            #expect(await outcome(.push(type: "Product", origin: "shop"), at: control) == expected, "\(rights ?? "")")
            #expect((relay.cache["Product", "intruder"] != nil) == (expected == .done))
            running.cancel()
            _ = await running.result
        }
    }

    @Test func `silence is no denial`() async throws {
        let nobody = "tcp://127.0.0.1:9"
        for action: AccessAttempt.Action in [
            .ask(type: "Process", held: 1), .listen(granted: nil), .join(stream: nobody),
            .push(type: "Product", origin: "shop"),
        ] {
            #expect(await outcome(action, at: nobody, within: .milliseconds(200)) == .unclear)
        }
    }

    @Test func `keys and grants of the demo are files of its user alone, with a line for each process`() throws {
        let folder = TrialFolder(named: "modelcast-test")
        try folder.make()
        #expect(throws: BenchError.self) { try folder.make() }
        let security = try DemoRun(seconds: 1, replayRate: 1, folder: folder).makeSecurity()
        func mode(_ path: String) throws -> Int? {
            (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
        }
        #expect(try mode(folder.path) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 2 * security.members.count + 1)
        for name in names { #expect(try mode(folder.path(of: name)) == 0o600, "\(name)") }
        let grants = try GrantsFile.read(folder.path(of: "grants"))
        #expect(grants.warnings.isEmpty)
        #expect(Set(grants.all.map(\.name)) == Set(security.members.filter { $0.rights != nil }.map(\.name)))
        // The stranger has a pair of keys as well.
        #expect(throws: Never.self) { try security.keys(of: "stranger").security() }
        folder.remove()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}
