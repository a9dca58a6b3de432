import Foundation

/// The second process of an example, as the first sees it: what it says, line by line.
final class ReaderProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private var lines: AsyncThrowingStream<String, any Error>.Iterator

    init(story: String, endpoint: String) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["read", story, endpoint]
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

    deinit { process.terminate() }

    /// Waits until the reader says this; several things in any order.
    /// - Throws: ``Failure`` where it says something else, or ends.
    func says(_ expected: String...) async throws {
        var left = Set(expected)
        while !left.isEmpty {
            guard let line = try await lines.next() else {
                throw Failure(description: "the reader ended before it said: \(left.sorted())")
            }
            print("  reader: \(line)")
            guard left.remove(line) != nil else {
                throw Failure(description: "the reader said \(line), not: \(left.sorted())")
            }
        }
    }

    /// Waits until the reader has ended.
    /// - Throws: ``Failure`` where it did not end well.
    func end() async throws {
        if let line = try await lines.next() { throw Failure(description: "the reader also said: \(line)") }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "the reader ended with exit code \(process.terminationStatus)")
        }
    }
}
