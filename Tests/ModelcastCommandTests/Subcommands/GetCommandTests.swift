import Foundation
import TestSupport
import Testing

@testable import ModelcastCommand

/// `modelcast get` with more ids than a person types.
@Suite(.serialized, .timeLimit(.minutes(15))) struct GetCommandTests {
    static let rows: [([String], [String])] = [
        ([], []), (["get"], ["get"]), (["digest", "a", "b", "c", "d"], ["digest", "a", "b", "c", "d"]),
        (["get", "--connect", "e", "T", "1", "2", "3"], ["get", "--connect", "e", "T", "1\u{0}2\u{0}3"]),
        (
            ["get", "T", "1", "2", "--connect", "e", "3", "4", "5"],
            ["get", "T", "1\u{0}2", "--connect", "e", "3", "4\u{0}5"]
        ),
        (
            ["get", "--connect=e", "T", "1", "--", "-2", "3", "-4", "", "-5"],
            ["get", "--connect=e", "T", "1", "--", "-2", "3", "-4\u{0}\u{0}-5"]
        ),
    ]

    @Test(arguments: rows)
    func `ids that stand side by side are one argument until they are cut again`(
        _ given: [String], _ joined: [String]
    ) {
        #expect(JoinedIDs.joining(in: given) == joined)
        #expect(JoinedIDs.cut(joined) == given)
    }

    @Test func `thousands of models are printed in the order of their ids on the command line`() async throws {
        let lines = (0..<3_000).map { #"{"id":"\#($0)","n":\#($0)}"# + "\n" }.joined()
        let publisher = try RunningCommand(CommandTests.publish, input: lines)
        let endpoint = try await publisher.endpoint()
        let isRead = await eventually { publisher.error.contains("3000 published") }
        try #require(isRead, "\(publisher.error)")
        let ids = (0..<3_000).reversed().map { "\($0)" }
        let get = try RunningCommand(
            ["get", "--connect", endpoint, "T"] + ids + ["--timeout", "60", "none", "5", "6"])
        #expect(try await get.exitCode() == 1)
        #expect(get.objects.compactMap { $0["id"] as? String } == ids + ["5", "6"])
        #expect(get.error == "T none does not exist at \(endpoint)\n")
        publisher.signal(SIGTERM)
        #expect(try await publisher.exitCode() == 0)
    }

    @Test func `sixty thousand ids take no time that grows with their square`() async throws {
        let folder = try TemporaryDirectory()
        let ids = (0..<60_000).map { "\($0)" }
        let get = try RunningCommand(["get", "--connect", "ipc://\(folder.path("nobody"))", "T"] + ids)
        // It would be minutes.
        let hasEnded = await eventually(within: .seconds(60)) { !get.isRunning }
        try #require(hasEnded)
        #expect(try await get.exitCode() == 1)
        #expect(get.error.contains("cannot reach ipc://"), "\(get.error)")
    }
}
