import Foundation
import TestSupport
import Testing

@testable import ModelcastCommand

/// What a full data set may delete.
@Suite struct DeleteLimitTests {
    /// Publishes ten models, and then another data set.
    private func publish(second: String, _ options: [String]) async throws -> (code: Int32?, error: String) {
        let directory = try TemporaryDirectory()
        let (first, next) = (directory.path("first"), directory.path("second"))
        let lines = (0..<10).map { "{\"id\":\"\($0)\"}\n" }.joined()
        try lines.write(toFile: first, atomically: false, encoding: .utf8)
        try second.write(toFile: next, atomically: false, encoding: .utf8)
        let command = try RunningCommand(
            CommandTests.publish + ["--whole", "--until-applied"] + options + [first, next])
        return (try await command.exitCode(), command.error)
    }

    @Test(arguments: ["", "\n\n", "{\"key\":\"1\"}\n{\"key\":\"2\"}\n", "nonsense\n"])
    func `an input that names no model deletes nothing and ends with 1`(_ input: String) async throws {
        let (code, error) = try await publish(second: input, [])
        #expect(code == 1)
        #expect(error.contains("second: nothing was deleted: 10 of 10 models of T are not in this input"), "\(error)")
        #expect(error.contains("--delete-at-most 10") && error.contains(" 0 deleted"), "\(error)")
    }

    @Test(arguments: [
        ("", 0), ("\n\n", 0), ("{\"key\":\"1\"}\n{\"key\":\"2\"}\n", 1), ("nonsense\n", 1), ("{\"key\":\"1\"", 1),
    ])
    func `what may go goes, and where not one line could be taken the run ends with 1 all the same`(
        _ input: String, _ expected: Int32
    ) async throws {
        let (code, error) = try await publish(second: input, ["--delete-at-most", "100%"])
        #expect(code == expected, "\(error)")
        #expect(error.contains(/second: .* refused, 10 deleted/), "\(error)")
        let isTold = error.contains("second: not one line could be taken, and 10 models were deleted")
        #expect(isTold == (expected == 1), "\(error)")
    }

    @Test(arguments: ["{\"id\":\"2\",\"n", "{\"id", "{", "{\"id\":\"2\",\"o\":{\"n\":1}", "nonsense"])
    func `an input that breaks off in its last line deletes nothing and ends with 1`(_ end: String) async throws {
        let input = "{\"id\":\"0\"}\n{\"id\":\"1\"}\n" + end
        let (code, error) = try await publish(second: input, [])
        #expect(code == 1 && error.contains(/second: .* 1 refused, 0 deleted/), "\(error)")
        #expect(error.contains("second: nothing was deleted: the input breaks off in line 3"), "\(error)")
        // Whoever says how many models may go is believed.
        let (limited, told) = try await publish(second: input, ["--delete-at-most", "8"])
        #expect(limited == 0 && told.contains(/second: .* 1 refused, [78] deleted/), "\(told)")
    }

    @Test(arguments: ["{\"id\":\"1\"}", "{\"key\":\"2\"}", " "])
    func `a last line without an end that can be read is no cut`(_ end: String) async throws {
        let (code, error) = try await publish(second: "{\"id\":\"0\"}\n" + end, [])
        #expect(code == 0 && error.contains(/second: .* refused, [89] deleted/), "\(error)")
    }

    @Test(arguments: [("2", 1), ("3", 0), ("20%", 1), ("29.9%", 1), ("30%", 0), ("0", 1)])
    func `more than is allowed deletes nothing and ends with 1`(_ limit: String, _ expected: Int32) async throws {
        let rest = (0..<7).map { "{\"id\":\"\($0)\"}\n" }.joined()
        let (code, error) = try await publish(second: rest, ["--delete-at-most", limit])
        #expect(code == expected, "\(error)")
        #expect(
            error.contains("second: 7 lines, 0 published, 7 unchanged, 0 refused, \(expected == 0 ? 3 : 0) deleted"))
        if expected == 1 {
            #expect(error.contains("(7, 8, 9), more than --delete-at-most \(limit) allows"), "\(error)")
        }
    }

    @Test func `without a limit any number goes, as long as a model is left`() async throws {
        let (code, error) = try await publish(second: "{\"id\":\"1\"}\n", [])
        #expect(code == 0 && error.contains(" 9 deleted"), "\(error)")
    }

    @Test(arguments: ["{\"n\":{\"x\":1,\"x\":2},\"id\":\"7\"}\n", "{\"n\":1e999,\"id\":\"7\"}\n", "nonsense\n"])
    func `nothing is deleted where a line cannot be read that may be of what is missing`(_ line: String) async throws {
        let input = "{\"id\":\"1\"}\n" + line
        let (code, error) = try await publish(second: input, [])
        #expect(code == 0 && error.contains(" 0 deleted"), "\(error)")
        #expect(error.contains("9 models of T are not in this input, and a refused line does not tell of which"))
        let (limited, told) = try await publish(second: input, ["--delete-at-most", "9"])
        #expect(limited == 0 && told.contains(" 9 deleted"), "\(told)")
    }

    @Test func `a line that is refused behind its id keeps that model, and others go`() async throws {
        let (code, error) = try await publish(second: "{\"id\":\"1\"}\n{\"id\":\"7\",\"x\":!}\n", [])
        #expect(code == 0 && error.contains(" 8 deleted"), "\(error)")
    }

    @Test(arguments: ["-1", "101%", "x", "%", "1.5", "nan%"])
    func `what is neither a number nor a part is refused`(_ text: String) {
        #expect(DeleteLimit(argument: text) == nil)
    }
}
