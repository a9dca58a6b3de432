import Foundation
import GRDB
import TestSupport
import Testing

@testable import ModelStore

/// Damage that takes everything. At least as much is told of it as of damage that takes a part.
@Suite struct `A store of which nothing can be read` {
    /// A way in which a file loses everything that it held.
    enum Loss: String, CaseIterable {
        case magic, firstPage, half, odd, rubbish, empty, gone
    }

    private let directory: TemporaryDirectory
    private var path: String { directory.path("a.store") }
    private var mark: String { path + StoreMark.suffix }

    init() throws { directory = try TemporaryDirectory() }

    private func lose(_ loss: Loss) throws {
        guard loss != .gone else { return try FileManager.default.removeItem(atPath: path) }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let size = try file.seekToEnd()
        func overwrite(_ bytes: Data) throws {
            try file.seek(toOffset: 0)
            try file.write(contentsOf: bytes)
        }
        switch loss {
        case .magic: try overwrite(Data("sQLite".utf8))
        case .firstPage: try overwrite(Data(repeating: 0, count: 4096))
        case .half: try file.truncate(atOffset: size / 2 / 4096 * 4096)
        case .odd: try file.truncate(atOffset: size / 2 / 4096 * 4096 + 77)
        case .rubbish: try overwrite(Data(repeating: 0x55, count: Int(size)))
        case .empty: try file.truncate(atOffset: 0)
        case .gone: break
        }
    }

    /// Makes a store of many pages, and closes it.
    private func fill() throws {
        let store = try Store.open(path: path)
        try store.write(.manyUsers(50), durably: true)
        try store.write(.batch(1), durably: true)
        try store.close()
    }

    /// Writes another mark beside the closed file.
    private func changeMark(_ change: (inout StoreMark.Content) -> Void) throws {
        var content = try #require(StoreMark.read(path: mark))
        change(&content)
        try Data(content.bytes + content.bytes).write(to: URL(fileURLWithPath: mark))
    }

    private func nowMilliseconds() -> UInt64 { UInt64(Date().timeIntervalSince1970 * 1000) }

    @Test(arguments: Loss.allCases)
    func `tells its commits and their time, whatever of the file is left`(loss: Loss) throws {
        let before = nowMilliseconds()
        try fill()
        let after = nowMilliseconds()
        let last = try #require(StoreMark.read(path: mark)).written
        try lose(loss)
        let store = try Store.openUnconfirmed(path: path)
        #expect(store.openReport.result == .created)
        let aside = try #require(store.openReport.setAside)
        let lost = try #require(aside.lost)
        #expect(lost.first == 1 && lost.last == last && last > 2)
        let (since, until) = (try #require(lost.sinceMilliseconds), try #require(lost.untilMilliseconds))
        #expect((before...after).contains(since))
        // The clock of files is some milliseconds behind.
        #expect((before - 1_000...after + 1_000).contains(until))
        #expect("\(lost)".hasPrefix("commits 1 to \(last) (from "))
        #expect("\(lost)".hasSuffix("Z) are gone"))
        try store.close()
        #expect(try Store.open(path: path).openReport.setAside == nil)
    }

    @Test func `has no more to tell where its mark is gone, too`() throws {
        try fill()
        try lose(.half)
        try FileManager.default.removeItem(atPath: mark)
        let aside = try #require(try Store.open(path: path).openReport.setAside)
        #expect(aside.lost == nil)
    }

    @Test func `is told by the mark also where an empty database stands in its place`() throws {
        try fill()
        try FileManager.default.removeItem(atPath: path)
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE a(b); DROP TABLE a") }
        try queue.close()
        let aside = try #require(try Store.openUnconfirmed(path: path).openReport.setAside)
        #expect(aside.reason.contains("it holds nothing"))
        #expect(aside.lost != nil)
    }

    @Test func `had what the file before held, so its time begins with that`() throws {
        try fill()
        try changeMark { $0.beganMilliseconds = 86_400_000 }
        let store = try Store.open(path: path)
        let number = try #require(StoreMark.read(path: mark)).store
        try store.replace()
        try store.close()
        let content = try #require(StoreMark.read(path: mark))
        #expect(content.store != number)
        #expect(content.beganMilliseconds == 86_400_000)
        try lose(.magic)
        let lost = try #require(try Store.open(path: path).openReport.setAside?.lost)
        #expect("\(lost)".contains("(from 1970-01-02T00:00:00.000Z until "))
        // A new file begins with nothing.
        let next = try #require(StoreMark.read(path: mark))
        #expect(next.beganMilliseconds > 86_400_000)
    }

    @Test func `has no beginning in the mark of an earlier version`() throws {
        try fill()
        try changeMark { $0.beganMilliseconds = 0 }
        try Store.open(path: path).close()
        try lose(.magic)
        let lost = try #require(try Store.open(path: path).openReport.setAside?.lost)
        #expect(lost.sinceMilliseconds == nil)
        #expect("\(lost)".contains(" (until "))
    }

    @Test func `is told of in a sentence, for one commit as for several`() {
        #expect("\(LostCommits(first: 11, last: 11))" == "commit 11 is gone")
        #expect("\(LostCommits(first: 11, last: 12))" == "commits 11 to 12 are gone")
        let day = LostCommits(first: 4, last: 4, sinceMilliseconds: 0, untilMilliseconds: 86_400_000)
        #expect("\(day)" == "commit 4 (from 1970-01-01T00:00:00.000Z until 1970-01-02T00:00:00.000Z) is gone")
        // The times of a damaged file may be anything.
        let damaged = LostCommits(first: 1, last: 2, sinceMilliseconds: .max, untilMilliseconds: 86_400_000)
        #expect("\(damaged)" == "commits 1 to 2 (until 1970-01-02T00:00:00.000Z) are gone")
    }
}
