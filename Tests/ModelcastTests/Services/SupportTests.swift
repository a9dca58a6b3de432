import Foundation
import TestSupport
import Testing

/// The tools that all tests share do what their users rely on.
struct SupportTests {
    @Test func `the first case that fails is reported with the line that runs it again`() {
        let seed = ProcessInfo.processInfo.environment["MODELCAST_SEED"] ?? "77"
        var runs = 0
        withKnownIssue {
            forEachSeed(1000, from: 77) { _, _ in
                runs += 1
                throw CaseFailure("on purpose")
            }
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return text.contains("on purpose")
                && text.contains("MODELCAST_SEED=\(seed) MODELCAST_CASES=1 swift test --filter SupportTests")
        }
        #expect(runs == 1)
    }

    @Test func `a temporary directory fits an ipc endpoint and goes with its last user`() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path("file"))
        #expect(path.utf8.count < 50)
        try Data([1]).write(to: URL(fileURLWithPath: path))
        #expect(FileManager.default.fileExists(atPath: path))
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a wait ends when its condition holds, or at its limit`() async {
        var looks = 0
        let isThere = await eventually {
            looks += 1
            return looks == 5
        }
        #expect(isThere)
        #expect(looks == 5)
        #expect(await eventually(within: .zero) { false } == false)
    }
}
