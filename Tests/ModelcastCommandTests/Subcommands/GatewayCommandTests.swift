import Foundation
import TestSupport
import Testing

/// `modelcast gateway`: models for programs that are not Swift.
@Suite(.timeLimit(.minutes(5))) struct GatewayCommandTests {
    private func address(_ command: RunningCommand) async throws -> String {
        let isTold = await eventually { command.error.contains("console http://") }
        try #require(isTold, "\(command.error)")
        return String(try #require(command.error.firstMatch(of: /console (http:\/\/\S+)/)).output.1)
    }

    /// Runs the follower in Python until the state is complete.
    private func follow(_ arguments: [String]) async throws -> (code: Int32, output: String) {
        try await python("follow.py", ["--until-live"] + arguments)
    }

    /// Runs a client in Python to its end.
    private func python(_ script: String, _ arguments: [String]) async throws -> (code: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", GatewayCommandTests.clients + script] + arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output: String = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = (try? pipe.fileHandleForReading.readToEnd()) ?? nil
                continuation.resume(returning: String(decoding: data ?? Data(), as: UTF8.self))
            }
        }
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    /// Runs the follower until its output is as wanted: before the gateway is live its state may lack something.
    private func follow(
        _ arguments: [String], until isWanted: (String) -> Bool
    ) async throws -> (code: Int32, output: String) {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let answer = try await follow(arguments)
            if answer.code != 0 || isWanted(answer.output) || ContinuousClock.now > deadline { return answer }
        }
    }

    private static let clients =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Scripts/clients").standardizedFileURL.path + "/"

    @Test func `a program in Python has what was published, and has it again when the gateway has started anew`()
        async throws
    {
        let publisher = try RunningCommand(CommandTests.publish, input: nil)
        let lines = #"{"id":"1","name":"Ä","a":{"b":[1,2.5]}}"# + "\n" + #"{"id":"2","age":7}"# + "\n"
        try publisher.input?.write(contentsOf: Data(lines.utf8))
        let options = ["gateway", "--connect", try await publisher.endpoint(), "--http", "127.0.0.1:0"]
        let expected = #"["T", "1", {"a": {"b": [1, 2.5]}, "name": "Ä"}]"# + "\n" + #"["T", "2", {"age": 7}]"# + "\n"
        for _ in 0..<2 {
            let gateway = try RunningCommand(options)
            let url = try await address(gateway)
            let answer = try await follow([url, "--type", "T"]) { $0 == expected }
            #expect(answer.code == 0 && answer.output == expected)
            gateway.signal(SIGTERM)
            #expect(try await gateway.exitCode() == 0)
        }
    }

    @Test func `a token of keygen opens what the grants of its key say, and the file has no token`() async throws {
        let folder = try TemporaryDirectory()
        let keygen = try RunningCommand(["keygen", "--token", "board", "--output", folder.path("")])
        #expect(try await keygen.exitCode() == 0)
        let open = try String(contentsOfFile: folder.path("board-token.pub"), encoding: .utf8)
        let words = open.split(separator: " ")
        #expect(words[0] == "modelcast-token-key" && words[2] == "board\n")
        try "grant \(words[1]) board subscribe:T\n".write(
            toFile: folder.path("tokens"), atomically: true, encoding: .utf8)
        let secret = try String(contentsOfFile: folder.path("board.token"), encoding: .utf8)
        #expect(secret.hasPrefix("mct_") && !open.contains(secret.dropFirst(4).dropLast()))
        let rights = try FileManager.default.attributesOfItem(atPath: folder.path("board.token"))
        #expect((rights[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let publisher = try RunningCommand(
            CommandTests.publish + ["--http", "127.0.0.1:0", "--http-tokens", folder.path("tokens")], input: nil)
        try publisher.input?.write(contentsOf: Data((#"{"id":"1","age":1}"# + "\n").utf8))
        let url = try await address(publisher)
        let refused = try await follow([url])
        #expect(refused.code == 1 && refused.output.contains("Authorization: Bearer TOKEN"))
        let answer = try await follow([url, "--token-file", folder.path("board.token")]) { !$0.isEmpty }
        #expect(answer.output == #"["T", "1", {"age": 1}]"# + "\n")
    }

    /// The answer to a request, with its head.
    private func ask(_ url: String, _ path: String, _ headers: String...) async throws -> String {
        let lines = ["GET \(path) HTTP/1.1", "Host: localhost", "Connection: close"] + headers + ["", ""]
        let connection = try RawConnection(to: url.replacing("http", with: "tcp"))
        connection.send(Array(lines.joined(separator: "\r\n").utf8))
        return String(decoding: connection.readToEnd() ?? [], as: UTF8.self)
    }

    @Test func `--history says how many bytes of changes are kept, and 0 keeps none`() async throws {
        for (size, part) in [("65536", #""bytesMax":65536"#), ("2MiB", #""bytesMax":2097152"#), ("0", "--history")] {
            let publisher = try RunningCommand(
                CommandTests.publish + ["--http", "127.0.0.1:0", "--history", size], input: nil)
            let url = try await address(publisher)
            var answer = ""
            while !answer.contains(part) {
                answer = try await ask(url, "/v1/history")
                // Before its thread has begun it is 503.
                try #require(answer.contains(part) || answer.hasPrefix("HTTP/1.1 503"), "\(answer)")
            }
        }
    }

    @Test func `tokens hold from SIGHUP on, and a file that cannot be read changes nothing`() async throws {
        let folder = try TemporaryDirectory()
        let keygen = try RunningCommand(["keygen", "--token", "board", "--output", folder.path("")])
        #expect(try await keygen.exitCode() == 0)
        let key = try String(contentsOfFile: folder.path("board-token.pub"), encoding: .utf8).split(separator: " ")[1]
        let token = try String(contentsOfFile: folder.path("board.token"), encoding: .utf8)
        func grant(_ text: String) throws {
            try text.write(toFile: folder.path("tokens"), atomically: true, encoding: .utf8)
        }
        try grant("grant \(key) board subscribe:Other\n")
        let publisher = try RunningCommand(
            CommandTests.publish + ["--http", "127.0.0.1:0", "--http-tokens", folder.path("tokens")], input: nil)
        try publisher.input?.write(contentsOf: Data((#"{"id":"1","age":1}"# + "\n").utf8))
        let url = try await address(publisher)
        func status() async throws -> String {
            let header = "Authorization: Bearer \(token.split(separator: "\n")[0])"
            return String(try await ask(url, "/v1/models/T/1", header).dropFirst(9).prefix(3))
        }
        while try await status() == "503" {}
        #expect(try await status() == "404")
        try grant("nonsense\n")
        publisher.signal(SIGHUP)
        #expect(await eventually { publisher.error.contains("the grants were not changed") })
        #expect(try await status() == "404")
        try grant("grant \(key) board subscribe:T\n")
        publisher.signal(SIGHUP)
        var last = ""
        for _ in 0..<1_000 where last != "200" { last = try await status() }
        #expect(last == "200", "\(publisher.error)")
    }

    @Test func `a process with keys, or an address for other machines, serves no models without tokens`() async throws {
        let folder = try TemporaryDirectory()
        for name in ["a", "b"] {
            let keygen = try RunningCommand(["keygen", name, "--output", folder.path("")])
            #expect(try await keygen.exitCode() == 0)
        }
        let keys = ["--key", folder.path("a.key"), "--server-key", folder.path("b.pub")]
        for (options, reason) in [
            (["--http", "0.0.0.0:0"], "0.0.0.0 can be reached from other machines"),
            (["--http", "127.0.0.1:0"] + keys, "a process with keys does not give its models to everybody"),
            ([], "--http is missing"), (["--http-tokens", "x"], "give --http HOST:PORT"),
        ] {
            let command = try RunningCommand(["gateway", "--connect", "tcp://127.0.0.1:1"] + options)
            #expect(try await command.exitCode() == 64)
            #expect(command.error.contains(reason), "\(command.error)")
        }
        // Health and figures are there, models are not.
        let subscriber = try RunningCommand(
            ["subscribe", "--connect", "tcp://127.0.0.1:1", "--no-changes", "--http", "127.0.0.1:0"] + keys)
        let url = try await address(subscriber)
        let connection = try RawConnection(to: url.replacing("http", with: "tcp"))
        connection.send(Array("GET /v1/types HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
        let answer = String(decoding: connection.readToEnd() ?? [], as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 404") && answer.contains("/v1 where models are served"))
    }

    @Test
    func `programs that write through a gateway lose nothing of each other, and a killed gateway keeps what it had`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let hub = "ipc://\(folder.path("hub"))"
        let relay = try RunningCommand(
            ["relay", "--name", "hub", "--bind", hub, "--store", folder.path("hub.store")])
        let isServing = await eventually { relay.error.contains("control ipc") }
        try #require(isServing, "\(relay.error)")
        let options = [
            "gateway", "--connect", hub, "--name", "web", "--push", hub, "--http", "127.0.0.1:0", "--write-store",
            folder.path("web.store"),
        ]
        for round in 1...2 {
            let gateway = try RunningCommand(options)
            let url = try await address(gateway)
            // Before its copy is there nothing is written.
            var early = try await python("count.py", [url, "Counter", "ready", "n"])
            while early.code != 0, early.output.contains("try again") {
                early = try await python("count.py", [url, "Counter", "ready", "n"])
            }
            #expect(early.code == 0 && early.output == "\(round)\n", "\(early.output)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        let answer = try await python("count.py", [url, "Counter", "shared", "n", "--times", "20"])
                        #expect(answer.code == 0, "\(answer.output)")
                    }
                }
                try await group.waitForAll()
            }
            let last = try await python("count.py", [url, "Counter", "shared", "n", "--by", "0"])
            #expect(last.output == "\(60 * round)\n")
            gateway.signal(SIGKILL)
            _ = try? await gateway.exitCode()
        }
    }

    @Test(arguments: [
        (["--push", "tcp://127.0.0.1:1"], "--push needs --name"),
        (["--name", "a", "--push", "tcp://127.0.0.1:1", "--push", "tcp://127.0.0.1:1"], "names a relay twice"),
        (["--write-store", "x"], "it needs --push"), (["--http-origin", "app.example.com"], "as browsers say it"),
    ])
    func `a gateway that cannot write as it is told to says what to change`(
        options: [String], reason: String
    )
        async throws
    {
        let command = try RunningCommand(
            ["gateway", "--connect", "tcp://127.0.0.1:1", "--http", "127.0.0.1:0"] + options)
        #expect(try await command.exitCode() == 64)
        #expect(command.error.contains(reason), "\(command.error)")
    }
}
