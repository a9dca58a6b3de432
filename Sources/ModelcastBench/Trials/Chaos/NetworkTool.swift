import Foundation

/// A program of iproute2: `ip` or `tc`.
enum NetworkTool: String {
    case ip
    case tc

    /// The path of the program; nil where it is not installed.
    var path: String? {
        ["/usr/sbin", "/sbin", "/usr/bin", "/bin"].map { "\($0)/\(rawValue)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs the program and waits for its end. Blocks for some milliseconds.
    /// - Throws: ``BenchError`` with the first line of its stderr when it fails.
    func run(_ arguments: [String]) throws {
        guard let path else { throw BenchError("\(rawValue) is not installed (package iproute2)") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        do {
            try process.run()
        } catch {
            throw BenchError("\(path) could not be started: \(error.localizedDescription)")
        }
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let reason = said.split(separator: "\n").first.map(String.init) ?? "exit code \(process.terminationStatus)"
            throw BenchError("\(rawValue) \(arguments.joined(separator: " ")): \(reason)")
        }
    }
}
