import Foundation
import TestSupport
import Testing

/// `modelcast generate`, as a process.
@Suite(.timeLimit(.minutes(15))) struct GenerateCommandTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder.path(name)))
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: folder.path(name))), as: UTF8.self)
    }

    private func generate(_ arguments: String...) async throws -> (code: Int32?, output: String, error: String) {
        let command = try RunningCommand(["generate"] + arguments)
        let code = try await command.exitCode()
        return (code, command.output, command.error)
    }

    private static let user = #"""
        {"title": "User", "type": "object", "required": ["id", "nick_name"],
         "properties": {"id": {"type": "string"}, "nick_name": {"type": "string", "description": "As friends say."},
                        "age": {"type": "integer", "minimum": 0}}}
        """#

    @Test func `a schema becomes a model, on standard output or in a folder`() async throws {
        try write("user.schema.json", Self.user)
        let printed = try await generate(folder.path("user.schema.json"))
        #expect(printed.code == 0, "\(printed.error)")
        for line in ["@Model", "@ID let id: String", "/// As friends say.", "var age: Int?"] {
            #expect(printed.output.contains(line), "\(line) is not in \(printed.output)")
        }
        let written = try await generate("--output", folder.path(""), folder.path("user.schema.json"))
        #expect(written.code == 0, "\(written.error)")
        #expect(try text("user.schema.swift") == printed.output)
    }

    @Test func `a check passes while the files are up to date, and names the one that is not`() async throws {
        try write("user.schema.json", Self.user)
        let arguments = ["--output", folder.path(""), folder.path("user.schema.json")]
        _ = try await generate(arguments[0], arguments[1], arguments[2])
        #expect(try await generate("--check", arguments[0], arguments[1], arguments[2]).code == 0)
        try write("user.schema.json", Self.user.replacing("nick_name", with: "first_name"))
        let stale = try await generate("--check", arguments[0], arguments[1], arguments[2])
        #expect(stale.code == 1 && stale.error.contains("user.schema.swift"), "\(stale.error)")
        #expect(try text("user.schema.swift").contains("nick_name"))
    }

    @Test func `a schema that has no form in Swift is told with its place, and a lenient run warns of it`() async throws
    {
        try write("user.schema.json", Self.user.replacing(#""minimum": 0"#, with: #""not": {}"#))
        let result = try await generate("--output", folder.path(""), folder.path("user.schema.json"))
        #expect(result.code == 1 && result.output.isEmpty)
        #expect(result.error.contains(/user\.schema\.json:\d+:\d+: not has no form/), "\(result.error)")
        #expect(throws: (any Error).self) { try text("user.schema.swift") }
        let lenient = try await generate("--lenient", "--output", folder.path(""), folder.path("user.schema.json"))
        #expect(lenient.code == 0 && lenient.error.hasPrefix("warning: "), "\(lenient.error)")
        #expect(try text("user.schema.swift").contains("struct User"))
    }

    @Test func `a file that is not there and a language that is not known are told`() async throws {
        let missing = try await generate(folder.path("none.schema.json"))
        #expect(missing.code == 1 && missing.error.contains("none.schema.json"), "\(missing.error)")
        #expect(try await generate("--language", "cobol", folder.path("none.schema.json")).code == 64)
    }
}
