import Foundation
import TestSupport

/// A Python with cbor2, an implementation of CBOR that shares nothing with this one, in a virtual environment.
///
/// The environment is kept in `.build-python` of the package, which git ignores, or else in a temporary directory.
struct Python {
    private let executable: String
    /// Removes what is temporary when the last reference goes.
    private let temporary: TemporaryDirectory

    /// There is none on this machine, or one that can make no virtual environment.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// There is one, and something else has gone wrong: no cbor2 to be had, a script that failed.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    init() throws {
        temporary = try TemporaryDirectory()
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let kept = package.appendingPathComponent(".build-python", isDirectory: true)
        let isKept =
            (try? FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)) != nil
            && FileManager.default.isWritableFile(atPath: kept.path)
        let home = isKept ? kept.appendingPathComponent("venv").path : temporary.path("venv")
        executable = home + "/bin/python3"
        if (try? run(["-c", "import cbor2"], seconds: 60)) == nil {
            do {
                try Python.run(
                    "/usr/bin/env", ["python3", "-c", "import ensurepip, venv"], in: temporary, seconds: 60)
            } catch {
                throw Missing(description: "\(error)")
            }
            try Python.run("/usr/bin/env", ["python3", "-m", "venv", "--clear", home], in: temporary, seconds: 300)
            try run(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "cbor2>=5.6"], seconds: 180)
        }
    }

    /// Runs a script on lines, and returns the lines that it wrote.
    func run(script: String, on lines: [String], seconds: Double) throws -> [String] {
        try script.write(toFile: temporary.path("script.py"), atomically: true, encoding: .utf8)
        try lines.joined(separator: "\n").write(toFile: temporary.path("input"), atomically: true, encoding: .utf8)
        try run([temporary.path("script.py"), temporary.path("input"), temporary.path("output")], seconds: seconds)
        let output = try String(contentsOfFile: temporary.path("output"), encoding: .utf8)
        return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private func run(_ arguments: [String], seconds: Double) throws {
        try Python.run(executable, arguments, in: temporary, seconds: seconds)
    }

    /// Runs a process to its end, for so long at most.
    private static func run(
        _ executable: String, _ arguments: [String], in temporary: TemporaryDirectory, seconds: Double
    ) throws {
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            throw Failed(description: "\(executable) is missing")
        }
        let log = temporary.path("log")
        try "".write(toFile: log, atomically: false, encoding: .utf8)
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        let isTimely = ended.wait(timeout: .now() + seconds) == .success
        if !isTimely {
            process.terminate()
            if ended.wait(timeout: .now() + 5) == .timedOut {
                kill(process.processIdentifier, SIGKILL)
                ended.wait()
            }
        }
        try output.close()
        guard isTimely, process.terminationStatus == 0 else {
            let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            let outcome = isTimely ? "failed with \(process.terminationStatus)" : "took more than \(seconds) s"
            throw Failed(
                description: "\(executable) \(arguments.joined(separator: " ")) \(outcome): \(said.suffix(2000))")
        }
    }
}
