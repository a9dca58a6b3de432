import Foundation
import TestSupport
import Testing

/// Runs of the real executable.
@Suite(.serialized) struct CommandTests {
    static let publish = ["publish", "--name", "p", "--bind", "tcp://127.0.0.1:*", "--type", "T", "--id-field", "id"]

    @Test func `a change goes from the input of one process to the output of another`() async throws {
        let publisher = try RunningCommand(CommandTests.publish, input: nil)
        let endpoint = try await publisher.endpoint()
        let subscriber = try RunningCommand(["subscribe", "--connect", endpoint])
        try publisher.input?.write(contentsOf: Data((#"{"id":"1","a":1,"b":{"c":"x"}}"# + "\n").utf8))
        try await expectCount(1, of: subscriber)
        try publisher.input?.write(contentsOf: Data((#"{"id":"1","a":2,"b":{"c":"x"}}"# + "\n").utf8))
        try await expectCount(2, of: subscriber)
        let change = try #require(subscriber.objects.last)
        #expect(change["type"] as? String == "T")
        #expect(change["id"] as? String == "1")
        #expect(change["changed"] as? [String] == ["a"])
        #expect(change["old"] as? NSDictionary == ["a": 1, "b": ["c": "x"]])
        #expect(change["new"] as? NSDictionary == ["a": 2, "b": ["c": "x"]])
        #expect(change["origin"] as? String == "p")
        let version = try #require(change["version"] as? String)
        #expect(version.hasSuffix("@p"))
        try await end([subscriber, publisher], with: SIGTERM)
        #expect(publisher.error.contains("stdin: 2 lines, 2 published, 0 unchanged, 0 refused, 0 deleted"))
    }

    @Test func `digests and models of publisher and subscriber are equal`() async throws {
        let lines = (0..<500).map { #"{"id":"\#($0)","n":\#($0),"o":{"t":"x\#($0)"}}"# }.joined(separator: "\n")
        let publisher = try RunningCommand(CommandTests.publish, input: lines)
        let endpoint = try await publisher.endpoint()
        let isRead = await eventually { publisher.error.contains("500 published") }
        try #require(isRead, "\(publisher.error)")
        let subscriber = try RunningCommand([
            "subscribe", "--connect", endpoint, "--until-live", "--no-changes", "--models", "--digest",
        ])
        #expect(try await subscriber.exitCode() == 0)
        let ids = subscriber.objects.compactMap { $0["id"] as? String }
        #expect(ids == (0..<500).map(String.init).sorted())
        let digest = try RunningCommand(["digest", "--connect", endpoint])
        #expect(try await digest.exitCode() == 0)
        #expect(digest.output.hasPrefix("T 500 "))
        #expect(subscriber.output.hasSuffix("\n" + digest.output))
        let get = try RunningCommand(["get", "--connect", endpoint, "T", "7", "none", "8"])
        #expect(try await get.exitCode() == 1)
        #expect(get.objects.compactMap { $0["id"] as? String } == ["7", "8"])
        #expect(get.objects.first?["model"] as? NSDictionary == ["n": 7, "o": ["t": "x7"]])
        #expect(get.error.contains("T none does not exist"))
    }

    @Test func `a full data set deletes what is gone and empties fields that are gone`() async throws {
        let directory = try TemporaryDirectory()
        let (first, second) = (directory.path("first"), directory.path("second"))
        try "{\"id\":\"1\",\"a\":1,\"b\":1}\n{\"id\":\"2\",\"a\":2}\n".write(
            toFile: first, atomically: false, encoding: .utf8)
        try "{\"id\":\"1\",\"a\":1}\n".write(toFile: second, atomically: false, encoding: .utf8)
        let publisher = try RunningCommand(
            CommandTests.publish + ["--whole", "--wait-for", "1", "--until-applied", "--timeout", "300", first, second])
        let subscriber = try RunningCommand(["subscribe", "--connect", try await publisher.endpoint(), "--models"])
        #expect(try await publisher.exitCode() == 0)
        subscriber.signal(SIGTERM)
        #expect(try await subscriber.exitCode() == 0)
        let changes = subscriber.objects.filter { $0["changed"] != nil }
        let gone = try #require(changes.first { $0["new"] is NSNull })
        #expect(gone["id"] as? String == "2")
        #expect(gone["old"] as? NSDictionary == ["a": 2])
        let models = subscriber.objects.filter { $0["model"] != nil }
        #expect(models.count == 1)
        #expect(models.first?["model"] as? NSDictionary == ["a": 1])
    }

    @Test func `400 states with other field names each pass by --whole, and who is late has the last`() async throws {
        let value = String(repeating: "x", count: 300)
        let lines = (0..<400).map { state in
            let fields = (0..<100).map { "\"session-\(state)-\($0)\":\"\(value)\"" }.joined(separator: ",")
            return "{\"id\":\"1\",\(fields)}\n"
        }
        let publisher = try RunningCommand(CommandTests.publish + ["--whole"], input: lines.joined())
        let endpoint = try await publisher.endpoint()
        let isRead = await eventually { publisher.error.contains("stdin: 400 lines, 400 published, 0 unchanged") }
        try #require(isRead, "\(publisher.error.suffix(1_000))")
        let subscriber = try RunningCommand([
            "subscribe", "--connect", endpoint, "--until-live", "--no-changes", "--models",
        ])
        #expect(try await subscriber.exitCode() == 0)
        let model = try #require(subscriber.objects.first?["model"] as? NSDictionary)
        #expect(model.count == 100 && model["session-399-99"] as? String == value)
    }

    @Test func `a model whose line is refused is not taken for gone`() async throws {
        let directory = try TemporaryDirectory()
        let (first, second) = (directory.path("first"), directory.path("second"))
        try "{\"id\":\"1\",\"a\":1}\n{\"id\":\"2\",\"a\":2}\n".write(toFile: first, atomically: false, encoding: .utf8)
        try "{\"id\":\"1\",\"a\":1e999}\n{\"id\":\"3\"}\n".write(toFile: second, atomically: false, encoding: .utf8)
        let publisher = try RunningCommand(CommandTests.publish + ["--whole", "--until-applied", first, second])
        #expect(try await publisher.exitCode() == 0)
        #expect(publisher.error.contains("second: 2 lines, 1 published, 0 unchanged, 1 refused, 1 deleted"))
    }

    @Test func `an input of which not one line can be taken deletes nothing and ends with 1`() async throws {
        let directory = try TemporaryDirectory()
        let (first, second) = (directory.path("first"), directory.path("second"))
        try "{\"id\":\"1\",\"a\":1}\n{\"id\":\"2\",\"a\":2}\n".write(toFile: first, atomically: false, encoding: .utf8)
        try "{\"id\":\"1\",\"a\":1e999}\nnonsense\n".write(toFile: second, atomically: false, encoding: .utf8)
        let whole = try RunningCommand(CommandTests.publish + ["--whole", "--until-applied", first, second])
        #expect(try await whole.exitCode() == 1)
        #expect(whole.error.contains("second: 2 lines, 0 published, 0 unchanged, 2 refused, 0 deleted"))
        #expect(whole.error.contains("second: not one line could be taken"))
        let run = try RunningCommand(CommandTests.publish + ["--until-applied", second])
        #expect(try await run.exitCode() == 1)
    }

    @Test func `bad lines are told with file and line, and the rest goes on`() async throws {
        let lines = [
            #"{"id":"1"}"#, "nonsense", "", #"{"name":"x"}"#, #"{"id":5}"#, #"{"id":"2","n":9223372036854775808}"#,
            #"{"id":"3","\#(String(repeating: "f", count: 129))":1}"#,
            #"{"id":"4","v":"\#(String(repeating: "v", count: 300_000))"}"#, #"{"id":"5"}"#, #"{"id":"6","":1}"#,
            #"{"id":"7","id":"8"}"#,
        ]
        let directory = try TemporaryDirectory()
        let path = directory.path("in")
        try lines.joined(separator: "\n").write(toFile: path, atomically: false, encoding: .utf8)
        let publisher = try RunningCommand(CommandTests.publish + ["--until-applied", path])
        #expect(try await publisher.exitCode() == 0)
        for line in [2, 4, 5, 6, 7, 8, 10, 11] { #expect(publisher.error.contains("\(path):\(line): ")) }
        // Over-long and reserved names, with the reason.
        #expect(publisher.error.contains("\(path):7: name: field "))
        #expect(publisher.error.contains("\(path):10: a field has the empty name, which is reserved"))
        #expect(
            publisher.error.contains("\(path):11: the field \"id\" is given twice; the name is reserved for the id"))
        #expect(publisher.error.contains("10 lines, 2 published, 0 unchanged, 8 refused, 0 deleted"))

        let strict = try RunningCommand(CommandTests.publish + ["--until-applied", "--strict", path])
        #expect(try await strict.exitCode() == 1)
        #expect(strict.error.contains("\(path):2: "))
        #expect(!strict.error.contains("\(path):4: "))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal ends both sides with exit code 0`(_ signal: Int32) async throws {
        let publisher = try RunningCommand(CommandTests.publish, input: nil)
        let subscriber = try RunningCommand(["subscribe", "--connect", try await publisher.endpoint()])
        try publisher.input?.write(contentsOf: Data("{\"id\":\"1\"}\n".utf8))
        try await expectCount(1, of: subscriber)
        try await end([subscriber, publisher], with: signal)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `what a publisher has taken arrives though it is told to stop at once, and that it stops is told`(
        _ signal: Int32
    ) async throws {
        let publisher = try RunningCommand(CommandTests.publish + ["--wait-for", "1"], input: nil)
        let subscriber = try RunningCommand([
            "subscribe", "--connect", try await publisher.endpoint(), "--log-level", "info",
        ])
        let lines = (0..<2_000).map { #"{"id":"\#($0)"}"# + "\n" }.joined()
        try publisher.input?.write(contentsOf: Data(lines.utf8))
        try publisher.input?.close()
        // Told when the last line has been taken.
        let isRead = await eventually { publisher.error.contains("2000 published") }
        try #require(isRead, "\(publisher.error)")
        let start = ContinuousClock.now
        publisher.signal(signal)
        #expect(try await publisher.exitCode() == 0, "\(publisher.error)")
        print("the publisher ended \(ContinuousClock.now - start) after the signal")
        try await expectCount(2_000, of: subscriber)
        #expect(await eventually { subscriber.error.contains("sender has stopped in good order") })
        try await end([subscriber], with: signal)
    }

    @Test func `only the ids that were asked for are printed, of changes and of the state`() async throws {
        let publisher = try RunningCommand(CommandTests.publish, input: nil)
        let subscriber = try RunningCommand([
            "subscribe", "--connect", try await publisher.endpoint(), "--id", "1", "--id", "3", "--models",
        ])
        for line in [#"{"id":"1","a":1}"#, #"{"id":"2","a":2}"#, #"{"id":"2","a":3}"#, #"{"id":"3","a":4}"#] {
            try publisher.input?.write(contentsOf: Data((line + "\n").utf8))
        }
        try await expectCount(2, of: subscriber)
        try await end([subscriber, publisher], with: SIGTERM)
        let changes = subscriber.objects.filter { $0["changed"] != nil }
        #expect(changes.compactMap { $0["id"] as? String } == ["1", "3"])
        let models = subscriber.objects.filter { $0["model"] != nil }
        #expect(models.compactMap { $0["id"] as? String } == ["1", "3"])
    }

    @Test func `a followed file is published as lines are appended to it`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("followed")
        try #"{"id":"1","a":1}"#.appending("\n").write(toFile: path, atomically: false, encoding: .utf8)
        let publisher = try RunningCommand(CommandTests.publish + ["--follow", path])
        let subscriber = try RunningCommand(["subscribe", "--connect", try await publisher.endpoint()])
        try await expectCount(1, of: subscriber)
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        // A line counts when its end is there.
        try file.write(contentsOf: Data(#"{"id":"1","#.utf8))
        try file.write(contentsOf: Data((#""a":2}"# + "\n" + #"{"id":"2"}"# + "\n").utf8))
        try await expectCount(3, of: subscriber)
        #expect(subscriber.objects.compactMap { $0["id"] as? String } == ["1", "1", "2"])
        #expect(subscriber.objects[1]["new"] as? NSDictionary == ["a": 2])
        try await end([subscriber, publisher], with: SIGTERM)
        #expect(publisher.error.contains("followed: 3 lines, 3 published"), "\(publisher.error)")
    }

    @Test func `a closed pipe ends a subscriber quietly`() async throws {
        let publisher = try RunningCommand(CommandTests.publish, input: "{\"id\":\"1\"}\n")
        let pipe = Pipe()
        let subscriber = try RunningCommand(
            ["subscribe", "--connect", try await publisher.endpoint()], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let line = try #require(try pipe.fileHandleForReading.read(upToCount: 8))
        #expect(String(decoding: line, as: UTF8.self) == #"{"type":"#)
        try pipe.fileHandleForReading.close()
        #expect(try await subscriber.exitCode() == 0)
        #expect(subscriber.error.isEmpty, "\(subscriber.error)")
    }

    private func expectCount(_ count: Int, of subscriber: RunningCommand) async throws {
        let isTold = await eventually { subscriber.objects.count >= count }
        try #require(isTold, "\(subscriber.output) \(subscriber.error)")
    }

    private func end(_ commands: [RunningCommand], with signal: Int32) async throws {
        for command in commands {
            command.signal(signal)
            #expect(try await command.exitCode() == 0, "\(command.error)")
        }
    }
}
