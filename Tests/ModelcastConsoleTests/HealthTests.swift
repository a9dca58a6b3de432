import Foundation
import Logging
import Modelcast
import ModelcastTesting
import TestSupport
import Testing

@testable import ModelcastConsole

/// Whether a process says that it lives, and that its copies may be relied on.
@Suite(.timeLimit(.minutes(5))) struct HealthTests {
    @Test func `a copy is ready once it is live, not ready while it is stale for long, and ready again`() async throws {
        try await withPair { publisher, subscriber, network in
            try publisher.merge("User", "1", ["age": 1])
            try await network.settle()
            // Much longer than anything takes here: the clock of the network goes on by itself, too.
            let patient = try configured { $0.staleAfter = .seconds(300) }
            try await withConsole(of: [.subscriber(subscriber)], configuration: patient) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                #expect(try await client.get("/healthz").body == "ok\n")
                try network.cut(from: "publisher", to: "subscriber")
                for _ in 0..<8 { try await network.advance(by: .seconds(1)) }
                // Lost, but not for long.
                #expect(!subscriber.status.isLive)
                #expect(try await client.get("/readyz").status == 200)
                for _ in 0..<40 { try await network.advance(by: .seconds(10)) }
                #expect(try await client.eventually("/readyz") { $0.status == 503 })
                let answer = try await client.get("/readyz")
                #expect(answer.body.contains("[-] subscriber hears publisher: not live for"))
                #expect(answer.body.contains("[-] streams of subscriber are fresh: nothing fresh"))
                #expect(answer.body.hasSuffix("not ok\n") && !answer.body.contains("[+]"))
                // It lives all the same, and its models can be read.
                #expect(try await client.get("/livez").status == 200 && subscriber["User", "1"] != nil)
                try network.mend(from: "publisher", to: "subscriber")
                for _ in 0..<8 { try await network.advance(by: .seconds(1)) }
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
            }
        }
    }

    @Test func `a copy that has never been live is not ready, whatever the time`() async throws {
        try await withNetwork { network in
            let publisher = try await network.publisher()
            try await network.stop("publisher")
            let subscriber = try network.subscriber()
            try await withConsole(of: [.publisher(publisher), .subscriber(subscriber)]) { client in
                #expect(try await client.eventually("/readyz") { $0.body.contains("its models are not here yet") })
                let answer = try await client.get("/readyz?verbose")
                #expect(answer.status == 503)
                #expect(answer.body.contains("[-] publisher publisher runs: it has stopped"))
                #expect(answer.body.contains("[+] subscriber subscriber runs"))
                #expect(try await client.get("/livez").status == 200)
            }
        }
    }

    @Test func `a verbose answer lists each check, another only what fails`() async throws {
        try await withPair { publisher, subscriber, network in
            try await withConsole(of: [.publisher(publisher), .subscriber(subscriber)]) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                let verbose = try await client.get("/readyz?verbose").body
                #expect(
                    verbose == """
                        [+] publisher publisher turns
                        [+] subscriber subscriber turns
                        [+] publisher publisher runs
                        [+] subscriber subscriber runs
                        [+] subscriber hears publisher
                        [+] streams of subscriber are fresh
                        ok

                        """)
                #expect(try await client.get("/readyz").body == "ok\n")
            }
        }
    }

    @Test func `a thread that hangs is told, one that has not begun or has ended is not`() {
        let clock = ServiceClockForTests()
        let pulse = clock.pulse()
        #expect(pulse.phase == .notBegun)
        clock.beat(pulse)
        clock.advance(seconds: 40)
        guard case .turning(let ago) = pulse.phase else {
            Issue.record("\(pulse.phase)")
            return
        }
        #expect(ago >= .seconds(40) && Console.problem(of: pulse.phase)?.contains("has not turned for 4") ?? false)
        clock.beat(pulse)
        #expect(Console.problem(of: pulse.phase) == nil)
        clock.end(pulse)
        #expect(pulse.phase == .ended && Console.problem(of: pulse.phase) == nil)
    }

    @Test func `a process with a thread that hangs says over HTTP that it does not live, and when it does again`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let endpoints = try SenderEndpoints(control: "ipc://\(folder.path("hangs"))")
        let publisher = try Publisher(
            PublisherConfiguration(name: "hangs", endpoints: endpoints),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let clock = ServiceClockForTests()
        try await withConsole(of: [.publisher(publisher)]) { client in
            #expect(try await client.get("/livez").status == 200)
            clock.beat(publisher.pulse, secondsAgo: 40)
            let hanging = try await client.get("/livez")
            #expect(hanging.status == 503)
            #expect(hanging.body.hasPrefix("[-] publisher hangs turns: its thread has not turned for 4"))
            #expect(try await client.get("/readyz").body.contains("[-] publisher hangs turns"))
            #expect(try await client.get("/metrics").body.contains("\nmodelcast_live 0\n"))
            clock.beat(publisher.pulse)
            #expect(try await client.get("/livez").status == 200)
        }
    }

    @Test func `a process whose store cannot be written is not ready`() async throws {
        let folder = try TemporaryDirectory()
        try await withNetwork { network in
            let publisher = try await network.publisher { $0.store = folder.path("store") }
            try await withConsole(of: [.publisher(publisher)]) { client in
                #expect(try await client.eventually("/readyz") { $0.status == 200 })
                try FileManager.default.removeItem(at: folder.url)
                #expect(
                    try await client.eventually("/readyz") { answer in
                        _ = try? publisher.merge("User", "1", ["age": 1])
                        return answer.status == 503 && answer.body.contains("store of publisher takes writes")
                    })
            }
        }
    }

    @Test func `a service that has not told of its senders yet is not ready`() async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let endpoints = try SenderEndpoints(control: "tcp://127.0.0.1:*")
        let relay = try Relay(
            RelayConfiguration(name: "hub", endpoints: endpoints, publishers: ["tcp://127.0.0.1:1"]), logger: logger)
        let console = Console(try ConsoleConfiguration("127.0.0.1:0"), of: [.relay(relay)], logger: logger)
        #expect(
            console.readinessChecks().filter { $0.problem != nil }.map(\.line) == [
                "[-] relay hub runs: it has not begun", "[-] hub listens: it has not begun to",
            ])
    }
}
