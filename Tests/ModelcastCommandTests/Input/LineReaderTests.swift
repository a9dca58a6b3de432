import Foundation
import TestSupport
import Testing

@testable import ModelcastCommand

@Suite struct LineReaderTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: [1, 2, 7, 64, 1 << 16])
    func `lines come out as they went in, whatever the size of the buffer`(_ bufferByteCount: Int) throws {
        let lines = ["", "a", "bb", String(repeating: "x", count: 1000), "", "é😀", "last without an end"]
        let path = directory.path("lines")
        try lines.joined(separator: "\n").write(toFile: path, atomically: false, encoding: .utf8)
        var reader = LineReader(try InputFile(path, isFollowed: false), bufferByteCount: bufferByteCount)
        #expect(try read(&reader) == lines)
    }

    @Test func `an end behind the last line makes no further line`() throws {
        let path = directory.path("lines")
        try "a\nb\n".write(toFile: path, atomically: false, encoding: .utf8)
        var reader = LineReader(try InputFile(path, isFollowed: false))
        #expect(try read(&reader) == ["a", "b"])
    }

    @Test(arguments: [("a\nb", [false, true]), ("a\nb\n", [false, false]), ("a\n", [false]), ("a", [true])])
    func `a last line without an end is told from one that has it`(_ content: String, _ expected: [Bool]) throws {
        let path = directory.path("lines")
        try content.write(toFile: path, atomically: false, encoding: .utf8)
        var reader = LineReader(try InputFile(path, isFollowed: false), bufferByteCount: 1)
        var found: [Bool] = []
        while try reader.next() != .end { found.append(reader.isUnfinished) }
        #expect(found == expected)
    }

    @Test func `a line past the limit is passed over and the next one read`() throws {
        let path = directory.path("lines")
        let long = String(repeating: "x", count: 300)
        try "a\n\(long)\nb\n".write(toFile: path, atomically: false, encoding: .utf8)
        var reader = LineReader(try InputFile(path, isFollowed: false), bufferByteCount: 16, lineByteCountMax: 64)
        #expect(try read(&reader) == ["a", "too long", "b"])
        #expect(reader.buffer.count == 64)
    }

    @Test func `a followed file is read on, also after it was exchanged`() throws {
        let path = directory.path("lines")
        try "a\nb".write(toFile: path, atomically: false, encoding: .utf8)
        var reader = LineReader(try InputFile(path, isFollowed: true))
        #expect(try reader.next() == .line(0..<1))
        #expect(try reader.next() == .idle)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("c\nd".utf8))
        try handle.close()
        #expect(try text(of: reader.next(), &reader) == "bc")
        try "new\n".write(toFile: path, atomically: true, encoding: .utf8)
        var seen: [String] = []
        while seen.last != "new" { if let line = try text(of: reader.next(), &reader) { seen.append(line) } }
        #expect(seen == ["d", "restarted", "new"])
    }

    @Test func `a file that is not there, and a directory, are told`() {
        #expect(throws: CommandFailure.self) { try InputFile(directory.path("none"), isFollowed: false) }
        #expect(throws: CommandFailure.self) { try InputFile(directory.url.path, isFollowed: false) }
    }

    @Test(arguments: ["c\nd\n", "c\nd\ne\n", "cc\n\n", "a\nB\n", "A\nb\n"])
    func `a followed file that was cut and written anew, as long or longer, is read from its beginning`(
        _ content: String
    ) throws {
        let path = directory.path("lines")
        try "a\nb\n".write(toFile: path, atomically: false, encoding: .utf8)
        var reader = LineReader(try InputFile(path, isFollowed: true))
        #expect(try reader.next() == .line(0..<1))
        #expect(try reader.next() == .line(2..<3))
        #expect(try reader.next() == .idle)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(content.utf8))
        var lines: [String] = []
        while case let step = try reader.next(), step != .idle || lines.isEmpty {
            if let line = text(of: step, &reader) { lines.append(line) }
        }
        let expected = content.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        #expect(lines == ["restarted"] + expected)
    }

    private func read(_ reader: inout LineReader) throws -> [String] {
        var lines: [String] = []
        while true {
            let step = try reader.next()
            if step == .end { return lines }
            if let line = text(of: step, &reader) { lines.append(line) }
        }
    }

    private func text(of step: LineReader.Step, _ reader: inout LineReader) -> String? {
        switch step {
        case .line(let range): String(decoding: reader.buffer[range], as: UTF8.self)
        case .tooLong: "too long"
        case .restarted: "restarted"
        case .idle, .end: nil
        }
    }
}
