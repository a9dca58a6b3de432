import Foundation
import TestSupport
import Testing

/// `modelcast demo` with all its processes.
@Suite(.serialized, .timeLimit(.minutes(15))) struct DemoCommandTests {
    @Test func `the demo with keys denies the intruder and the stranger, and leaves no file`() async throws {
        let folder = try TemporaryDirectory()
        let demo = try RunningCommand(
            ["demo", "--secure", "--seconds", "1"], environment: ["TMPDIR": folder.path("")])
        #expect(try await demo.exitCode() == 0, "\(demo.output) \(demo.error)")
        let lines = demo.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        // The grants, and a row of the comparison for each copy.
        #expect(lines.contains { $0.hasPrefix("intruder") && $0.hasSuffix("subscribe:Host") })
        #expect(lines.count { $0.hasSuffix("yes") } == 4, "\(demo.output)")
        for (attempt, result) in [
            ("pushes a Report to relay-a, as job", "done: relay-a has acknowledged it"),
            ("asks host for the type Host", "done: it sent 1"),
            ("asks host for the type Process", "denied: it sent none of"),
            ("listens to everything of host", "updates of Host came, and of no other type"),
            ("joins the stream of all types of host", "denied: that stream does not let in its key"),
            ("pushes a Host to relay-a, as intruder", "denied: intruder may not write Host as intruder, says relay-a"),
            ("pushes a Product to relay-a, as shop", "denied: intruder may not write Product as shop, says relay-a"),
            ("asks host for the type Host", "denied: not let in"),
            ("listens to everything of host", "denied: not let in"),
            ("pushes a Report to relay-a, as job", "denied: not let in"),
        ] {
            #expect(lines.contains { $0.hasPrefix(attempt) && $0.contains(result) }, "\(attempt): \(demo.output)")
        }
        #expect(lines.contains("8 tries without a grant: 8 denied"))
        #expect(demo.error.isEmpty, "\(demo.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty)
    }

    @Test func `the demo tells where its inspector is, and how to keep it`() async throws {
        let demo = try RunningCommand(["demo", "--seconds", "1"])
        #expect(try await demo.exitCode() == 0, "\(demo.output) \(demo.error)")
        #expect(demo.output.contains("look into it with a browser: http://127.0.0.1:"))
        #expect(demo.output.contains("--seconds 0 stays until Ctrl-C, with the inspector"))
        #expect(demo.output.split(separator: "\n").count { $0.hasSuffix("yes") } == 3, "\(demo.output)")
    }

    @Test func `the demo without an end serves the inspector until it is interrupted`() async throws {
        let demo = try RunningCommand(["demo", "--seconds", "0", "--replay-rate", "200"])
        let isTold = await eventually { demo.output.contains("browser: http://") }
        #expect(isTold, "\(demo.output) \(demo.error)")
        let address = String(try #require(demo.output.firstMatch(of: /browser: http:\/\/(\S+)\//)).1)
        func answer(_ path: String) throws -> String {
            let connection = try RawConnection(to: "tcp://\(address)")
            connection.send(Array("GET \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n".utf8))
            return String(decoding: connection.readToEnd() ?? [], as: UTF8.self)
        }
        #expect(try answer("/").contains("<title>Modelcast</title>"))
        #expect(try answer("/v1/status").contains(#""name":"subscriber-1""#))
        demo.signal(SIGINT)
        #expect(try await demo.exitCode() == 0, "\(demo.output) \(demo.error)")
        #expect(demo.output.split(separator: "\n").count { $0.hasSuffix("yes") } == 3, "\(demo.output)")
        #expect(demo.error.isEmpty, "\(demo.error)")
    }
}
