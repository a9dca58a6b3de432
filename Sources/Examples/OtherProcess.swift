import Foundation

/// A process that an example has started, as the first one sees it: what it says, line by line, and what can be done to
/// it.
final class OtherProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let name: String
    private let process = Process()
    private var lines: AsyncThrowingStream<String, any Error>.Iterator

    /// - Parameter arguments: those of this command.
    init(_ name: String, _ arguments: [String]) throws {
        self.name = name
        let output = Pipe()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardOutput = output
        let (stream, lines) = AsyncThrowingStream<String, any Error>.makeStream()
        self.lines = stream.makeAsyncIterator()
        try process.run()
        Thread.detachNewThread {
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            lines.finish()
        }
    }

    // A stopped process does not hear of a polite end.
    deinit { if process.isRunning { kill() } }

    /// Waits until the process says this; several things in any order.
    /// - Throws: ``Failure`` where it says something else, or ends.
    func says(_ expected: String...) async throws {
        var left = Set(expected)
        while !left.isEmpty {
            guard let line = try await lines.next() else {
                throw Failure(description: "the \(name) ended before it said: \(left.sorted())")
            }
            print("  \(name): \(line)")
            guard left.remove(line) != nil else {
                throw Failure(description: "the \(name) said \(line), not: \(left.sorted())")
            }
        }
    }

    /// The next line, whatever it is.
    func line() async throws -> String {
        guard let line = try await lines.next() else { throw Failure(description: "the \(name) has ended") }
        return line
    }

    /// Waits until the process has ended.
    /// - Throws: ``Failure`` where it did not end well.
    func end() async throws {
        if let line = try await lines.next() { throw Failure(description: "the \(name) also said: \(line)") }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "the \(name) ended with exit code \(process.terminationStatus)")
        }
    }

    /// Ends the process in good order, as SIGTERM does to a service.
    func terminate() { process.terminate() }

    /// Ends the process at once: nothing that it wants to say is said.
    func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Stops the process where it stands, until ``goOn()``.
    func stop() { Foundation.kill(process.processIdentifier, SIGSTOP) }

    func goOn() { Foundation.kill(process.processIdentifier, SIGCONT) }
}
