import Foundation
import Testing

/// The files of this repository, found from where this file was compiled.
enum Repository {
    /// Links resolved, so that a build folder which links to the sources reads the same files.
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Swift file of the two folders, read once for all tests.
    static let sources = Result { try swiftFiles(in: "Sources") }
    static let tests = Result { try swiftFiles(in: "Tests") }

    /// Every Swift file below one folder of the root, sorted by path.
    private static func swiftFiles(in folder: String) throws -> [SourceFile] {
        let start = root.appending(path: folder)
        let walk = try #require(
            FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil), "no folder \(start.path)")
        return
            try walk.compactMap { $0 as? URL }
            .filter { $0.pathExtension == "swift" }
            .map { try SourceFile(path: relative($0), text: String(contentsOf: $0, encoding: .utf8)) }
            .sorted { $0.path < $1.path }
    }

    /// The text of one file of the root.
    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The names at the top level that git tracks or would add; nil where this is not a git work tree.
    static func topLevelNames() throws -> Set<String>? {
        let git = Process()
        git.executableURL = URL(filePath: "/usr/bin/env")
        git.arguments = ["git", "-C", root.path, "ls-files", "--cached", "--others", "--exclude-standard"]
        let output = Pipe()
        git.standardOutput = output
        git.standardError = FileHandle.nullDevice
        try git.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        git.waitUntilExit()
        guard git.terminationStatus == 0 else { return nil }
        let paths = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return Set(paths.compactMap { $0.split(separator: "/").first.map(String.init) })
    }

    private static func relative(_ file: URL) -> String {
        let path = file.resolvingSymlinksInPath().path
        return path.hasPrefix(root.path + "/") ? String(path.dropFirst(root.path.count + 1)) : path
    }
}
