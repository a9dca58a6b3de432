import Foundation
import TestSupport
import Testing

/// A `modelcast` process under test, with its output in files, ended with the test at the latest.
final class RunningCommand {
    private let process = Process()
    private let outputPath: String
    private let errorPath: String
    private let directory: TemporaryDirectory
    private(set) var input: FileHandle?

    /// Starts the command.
    /// - Parameters:
    ///   - input: what is on its standard input, which then ends; nil to write to ``input`` later.
    ///   - redirection: as a shell has it, `>&-` for instance.
    init(
        _ arguments: [String], input: String? = "", output: FileHandle? = nil, environment: [String: String] = [:],
        redirection: String? = nil
    ) throws {
        directory = try TemporaryDirectory()
        outputPath = directory.path("out")
        errorPath = directory.path("err")
        for path in [outputPath, errorPath] {
            try #require(FileManager.default.createFile(atPath: path, contents: nil))
        }
        process.executableURL = try RunningCommand.executable()
        process.arguments = arguments
        if let redirection, let path = process.executableURL?.path {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "exec \"$0\" \"$@\" \(redirection)", path] + arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output ?? FileHandle(forWritingAtPath: outputPath)
        process.standardError = FileHandle(forWritingAtPath: errorPath)
        let pipe = Pipe()
        process.standardInput = pipe
        try process.run()
        if let input {
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        } else {
            self.input = pipe.fileHandleForWriting
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The executable stands in the build directory, beside or above the test bundle.
    private static func executable() throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        for _ in 0..<6 {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("modelcast")
            var isDirectory: ObjCBool = false
            let exists = unsafe FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isDirectory)
            if exists, !isDirectory.boolValue { return candidate }
        }
        throw CaseFailure("no modelcast executable above \(CommandLine.arguments[0])")
    }

    var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }
    var error: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

    var isRunning: Bool { process.isRunning }

    var processID: Int32 { process.processIdentifier }

    /// Each whole line of the output, as JSON.
    var objects: [[String: Any]] {
        output.split(separator: "\n").compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }

    /// The control endpoint that a publisher tells when it has bound.
    func endpoint() async throws -> String {
        let isTold = await eventually { self.error.contains("stream ") }
        try #require(isTold, "\(error)")
        let line = try #require(error.split(separator: "\n").first { $0.hasPrefix("control ") })
        return String(line.split(separator: " ")[1])
    }

    /// Waits for the end.
    /// - Parameter limit: for how long at most; by default as long as tests usually wait.
    /// - Returns: the exit code; nil when a signal has ended the process.
    func exitCode(within limit: Duration = .seconds(120)) async throws -> Int32? {
        let hasEnded = await eventually(within: limit) { !self.process.isRunning }
        try #require(hasEnded, "\(process.arguments ?? []) did not end: \(error)")
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }

    /// It has a handler for a signal.
    func catches(_ number: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        let mask = line.flatMap { UInt64($0.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) } ?? 0
        return mask & 1 << UInt64(number - 1) != 0
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }
}
