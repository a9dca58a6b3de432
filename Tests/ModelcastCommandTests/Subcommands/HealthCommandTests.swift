import Foundation
import TestSupport
import Testing

/// What `--http` and `modelcast health` say of processes.
@Suite(.timeLimit(.minutes(5))) struct HealthCommandTests {
    /// The answer of a process at `--http`, with its head.
    private func ask(_ command: RunningCommand, _ path: String) async throws -> String {
        let isTold = await eventually { command.error.contains("console http://") }
        try #require(isTold, "\(command.error)")
        let line = try #require(command.error.split(separator: "\n").first { $0.hasPrefix("console http://") })
        let address = line.dropFirst("console http://".count)
        let connection = try RawConnection(to: "tcp://\(address)")
        connection.send(Array("GET \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n".utf8))
        return String(decoding: connection.readToEnd() ?? [], as: UTF8.self)
    }

    @Test func `a relay is ready while its publisher is heard of, and both ways of asking say so`() async throws {
        let publisher = try RunningCommand(CommandTests.publish, input: nil)
        try publisher.input?.write(contentsOf: Data((#"{"id":"1","age":1}"# + "\n").utf8))
        let relay = try RunningCommand([
            "relay", "--name", "hub", "--bind", "tcp://127.0.0.1:*", "--connect", try await publisher.endpoint(),
            "--http", "127.0.0.1:0", "--stale-after", "1",
        ])
        let control = try await relay.endpoint()
        let models = #"modelcast_models{name="hub",service="relay",type="T"} 1"#
        while try await !ask(relay, "/metrics").contains(models) {}
        var answer = ""
        while !answer.hasPrefix("HTTP/1.1 200") { answer = try await ask(relay, "/readyz?verbose") }
        #expect(answer.contains("[+] hub hears p"))
        let good = try RunningCommand(["health", "--connect", control])
        #expect(try await good.exitCode() == 0)
        #expect(good.output.contains("[+] hub answers\n[+] hub has its models\n[+] hub hears p: "))
        publisher.signal(SIGSTOP)
        while !answer.hasPrefix("HTTP/1.1 503") { answer = try await ask(relay, "/readyz") }
        #expect(answer.contains("[-] streams of hub are fresh: nothing fresh for more than 1 s of p (1 stream)"))
        #expect(try await ask(relay, "/livez").hasPrefix("HTTP/1.1 200"))
        let bad = try RunningCommand(["health", "--connect", control, "--stale-after", "1"])
        #expect(try await bad.exitCode() == 1)
        #expect(bad.output.contains("[-] hub hears p: "))
        publisher.signal(SIGCONT)
        relay.signal(SIGTERM)
        #expect(try await relay.exitCode() == 0)
    }

    @Test func `nobody there is a failure, and options without --http are a wrong command line`() async throws {
        let health = try RunningCommand(["health", "--connect", "tcp://127.0.0.1:1"])
        #expect(try await health.exitCode() == 1)
        #expect(health.error.contains("cannot reach tcp://127.0.0.1:1"))
        for options in [["--stale-after", "3"], ["--http", "9464"], ["--http-name", "x"]] {
            let command = try RunningCommand(["subscribe", "--connect", "tcp://127.0.0.1:1"] + options)
            #expect(try await command.exitCode() == 64)
            #expect(command.error.contains("HOST:PORT"))
        }
    }

    @Test func `without --http nothing listens, with it one address does`() async throws {
        let publisher = try RunningCommand(CommandTests.publish, input: nil)
        let endpoint = try await publisher.endpoint()
        try publisher.input?.write(contentsOf: Data((#"{"id":"1","age":1}"# + "\n").utf8))
        for (options, count) in [([], 0), (["--http", "127.0.0.1:0"], 1)] {
            let subscriber = try RunningCommand(["subscribe", "--connect", endpoint] + options)
            // Whatever is to listen does so before its copy is there.
            #expect(await eventually { subscriber.output.contains(#""age":1"#) })
            if count > 0 { #expect(try await ask(subscriber, "/livez").hasPrefix("HTTP/1.1 200")) }
            #expect(try listening(subscriber).count == count)
        }
    }

    /// The addresses at which a process listens over TCP, as the system writes them.
    private func listening(_ command: RunningCommand) throws -> [String] {
        let folder = "/proc/\(command.processID)/"
        let links = try FileManager.default.contentsOfDirectory(atPath: folder + "fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "fd/" + $0)
        }
        return try ["tcp", "tcp6"].flatMap { kind in
            try String(contentsOfFile: folder + "net/" + kind, encoding: .utf8).split(separator: "\n").dropFirst()
                .map { $0.split(separator: " ").map(String.init) }
                // 0A is a socket that listens; the tenth column is its number.
                .filter { $0[3] == "0A" && links.contains("socket:[\($0[9])]") }.map { $0[1] }
        }
    }

    @Test func `a port of --http that is taken ends the command, with what it is`() async throws {
        let first = try RunningCommand(CommandTests.publish + ["--http", "127.0.0.1:0"], input: nil)
        _ = try await ask(first, "/livez")
        let address = try #require(first.error.firstMatch(of: /console http:\/\/(\S+)/)?.output.1)
        let second = try RunningCommand(["subscribe", "--connect", "tcp://127.0.0.1:1", "--http", "\(address)"])
        #expect(try await second.exitCode() == 1)
        #expect(second.error.contains("the console cannot listen at \(address)"))
    }
}
