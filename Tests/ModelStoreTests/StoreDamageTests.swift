import Foundation
import GRDB
import ModelRecord
import ModelWire
import TestSupport
import Testing

@testable import ModelStore

@Suite struct `A damaged store` {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("a.store") }

    init() throws { directory = try TemporaryDirectory() }

    /// Runs statements on the file as another program would.
    private func edit(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// A closed store with two of everything.
    private func fill() throws {
        let store = try Store.open(path: path)
        try store.write(
            StoreChanges {
                for id in ["1", "2"] { $0.upsert(try .made(id, ["name": .text("Ada \(id)")]), type: "User") }
                $0.heads = [
                    .init(origin: "o", topic: .users, incarnation: 1, sequence: 2),
                    .init(origin: "p", topic: .users, incarnation: 1, sequence: 7),
                ]
                $0.origins = [
                    .init(name: "o", incarnation: 1, stamp: 5), .init(name: "p", incarnation: 1, stamp: 6),
                ]
                $0.facts["one"] = [1]
                $0.facts["two"] = [2]
                $0.batches = [.made(1), .made(2)]
            }, durably: true)
        try store.close()
    }

    @Test func `a letter that has changed in a value is found where the row is read`() throws {
        try fill()
        try edit("UPDATE record SET bytes = CAST(replace(bytes, 'Ada 2', 'Eda 2') AS BLOB)")
        let store = try Store.open(path: path)
        var ids: [String] = []
        let report = try store.forEachRecord { _, record in ids.append(record.id) }
        #expect(ids == ["1"])
        #expect(
            report.dropped == [RecordsReport.Dropped(type: "User", id: "2", reason: "its checksum is wrong")])
        #expect(report.droppedTypes == ["User"])
        #expect(try store.record(type: "User", id: "2") == nil)
        #expect(try store.record(type: "User", id: "1") != nil)
    }

    @Test(arguments: [
        ("UPDATE head SET sequence = 3 WHERE origin = 'o'", DamagedRow(table: .head, key: "o m/User/", type: "User")),
        ("UPDATE origin SET stamp = 9 WHERE name = 'p'", DamagedRow(table: .origin, key: "p")),
        ("UPDATE origin SET stamp = 'x' WHERE name = 'p'", DamagedRow(table: .origin, key: "p")),
        ("UPDATE fact SET value = x'05' WHERE name = 'two'", DamagedRow(table: .fact, key: "two")),
        (
            "UPDATE batch SET payload = x'00' WHERE sequence = 2",
            DamagedRow(table: .batch, key: "o m/User/ 2", type: "User")
        ),
        (
            "UPDATE batch SET written = 5 WHERE sequence = 1",
            DamagedRow(table: .batch, key: "o m/User/ 1", type: "User")
        ),
        ("UPDATE type SET name = 'Uses'", DamagedRow(table: .type, key: "Uses")),
    ])
    func `a row of any table whose checksum is wrong is passed over and named`(
        sql: String, expected: DamagedRow
    ) throws {
        try fill()
        try edit(sql)
        let store = try Store.open(path: path)
        let contents = try StoreContents(store)
        #expect(store.damagedRows == [expected])
        let count = contents.heads.count + contents.origins.count + contents.batches.count + contents.facts.count
        #expect(count == (expected.table == .type ? 8 : 7))
        // A type without its name has no records, and may be written again.
        #expect(contents.records.isEmpty == (expected.table == .type))
        try store.write(StoreChanges { $0.upsert(try .made("3"), type: "User") }, durably: true)
        #expect(try store.record(type: "User", id: "3") != nil)
    }

    @Test func `rows that have changed places are found`() throws {
        try fill()
        try edit(
            """
            UPDATE record SET id = x'FF' WHERE id = CAST('1' AS BLOB);
            UPDATE record SET id = CAST('1' AS BLOB) WHERE id = CAST('2' AS BLOB);
            UPDATE record SET id = CAST('2' AS BLOB) WHERE id = x'FF';
            """)
        #expect(try Store.open(path: path).forEachRecord { _, _ in }.droppedCount == 2)
    }

    @Test func `every flipped bit and every swap of words changes a checksum`() {
        forEachSeed(200) { _, generator in
            let count = Int.random(in: 0...100, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let id: [UInt8] = [1, 2, 3]
            let sum = RowSum.record(type: 1, id: id.span, bytes: bytes.span)
            guard RowSum.record(type: 2, id: id.span, bytes: bytes.span) != sum,
                RowSum.record(type: 1, id: [1, 2].span, bytes: ([3] + bytes).span) != sum
            else { throw CaseFailure("the key is not part of it") }
            for index in bytes.indices {
                for bit in 0..<8 {
                    bytes[index] ^= 1 << UInt8(bit)
                    defer { bytes[index] ^= 1 << UInt8(bit) }
                    guard RowSum.record(type: 1, id: id.span, bytes: bytes.span) != sum else {
                        throw CaseFailure("bit \(bit) of byte \(index) of \(count)")
                    }
                }
            }
            guard count >= 64, bytes[0..<32] != bytes[32..<64] else { return }
            let swapped = Array(bytes[32..<64] + bytes[0..<32] + bytes[64...])
            guard RowSum.record(type: 1, id: id.span, bytes: swapped.span) != sum else { throw CaseFailure("swapped") }
        }
    }

    @Test func `a file of the first layout gets checksums of what it holds`() throws {
        let record = try CellRecord.made("1")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { database in
            try Schema.current.migrations[0].run(database)
            try database.execute(
                sql: """
                    PRAGMA user_version = 1;
                    PRAGMA application_id = \(Schema.applicationID);
                    INSERT INTO type VALUES (1, 'User');
                    INSERT INTO head VALUES ('o', x'6D2F557365722F', 1, 2);
                    INSERT INTO origin VALUES ('o', 1, -1);
                    INSERT INTO fact VALUES ('one', x'01');
                    INSERT INTO batch VALUES (1, 'o', 1, x'6D2F557365722F', 3, 4, x'0506');
                    """)
            try database.execute(
                sql: "INSERT INTO record VALUES (1, 1, ?, ?)",
                arguments: [Data(copying: record.idBytes), Data(copying: record.bytes)])
        }
        try queue.close()
        let store = try Store.open(path: path)
        #expect(store.openReport.result == .migrated(from: 1))
        let contents = try StoreContents(store)
        #expect(store.damagedRows.isEmpty)
        #expect(contents.records == ["User": ["1": record]])
        #expect(contents.heads == [StoredHead(origin: "o", topic: .users, incarnation: 1, sequence: 2)])
        #expect(contents.origins == [StoredOrigin(name: "o", incarnation: 1, stamp: .max)])
        #expect(contents.facts == ["one": [1]])
        #expect(contents.batches.map(\.payload) == [[5, 6]])
        try store.close()
        #expect(try Store.open(path: path).openReport.result == .opened)
    }

    @Test func `a log that was taken away, or whose file was, is told`() throws {
        let store = try Store.open(path: path)
        try store.write(.batch(1), durably: true)
        let files = try StoreFiles(path)
        try store.close()
        for lost in ["-wal", ""] {
            let copy = directory.path("copy\(lost).store")
            try files.write(copy, without: lost)
            let opened = try Store.open(path: copy)
            let aside = try #require(opened.openReport.setAside)
            #expect(aside.reason.contains(lost == "" ? "the file itself is gone" : "commit 2 (until "))
            #expect(opened.openReport.result == .created)
        }
        // Who has no mark cannot know; who deletes all three wants to begin anew.
        let copy = directory.path("no-mark.store")
        try files.write(copy, without: "-mark")
        #expect(try StoreContents(Store.open(path: copy)).batches.count == 1)
    }

    @Test(arguments: [true, false])
    func `a file that is gone, or empty, is told by the mark that is left`(isEmpty: Bool) throws {
        let store = try Store.open(path: path)
        try store.write(.batch(1), durably: true)
        try store.close()
        try FileManager.default.removeItem(atPath: path)
        if isEmpty { try Data().write(to: URL(fileURLWithPath: path)) }
        let opened = try Store.open(path: path)
        let aside = try #require(opened.openReport.setAside)
        #expect(aside.reason.contains("gone or empty, and should hold"))
        try opened.close()
        // Who deletes both begins anew.
        for suffix in ["", "-mark"] { try FileManager.default.removeItem(atPath: path + suffix) }
        #expect(try Store.open(path: path).openReport.setAside == nil)
    }

    @Test func `a copy without its mark says that it is one, once`() throws {
        let store = try Store.open(path: path)
        #expect(!store.openReport.isUnmarked)
        try store.write(.batch(1), durably: true)
        try store.close()
        try FileManager.default.removeItem(atPath: path + "-mark")
        let copy = try Store.open(path: path)
        #expect(copy.openReport.isUnmarked && copy.openReport.result == .opened)
        #expect(copy.openReport.description.contains("without its mark"))
        try copy.close()
        #expect(try !Store.open(path: path).openReport.isUnmarked)
    }

    @Test func `facts that cannot be read leave the records to be read, and nothing is written to that file`() throws {
        try fill()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        while let range = bytes.range(of: Data("store.id".utf8)) {
            let page = range.lowerBound / 4096 * 4096
            bytes.replaceSubrange(page..<page + 4096, with: Data(repeating: 0x55, count: 4096))
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        let store = try Store.openUnconfirmed(path: path)
        #expect(store.openReport.setAside == nil)
        #expect(throws: StoreError.self) { try store.facts() }
        var ids: [String] = []
        try store.forEachRecord { _, record in ids.append(record.id) }
        #expect(ids.sorted() == ["1", "2"])
        let error = #expect(throws: StoreError.self) { try store.confirm() }
        #expect(error?.code == .corrupt)
        try store.close()
        #expect(try Store.open(path: path).openReport.setAside != nil)
    }

    @Test func `a changed application id beside the mark is damage, and every row can still be read`() throws {
        try fill()
        try edit("PRAGMA application_id = 31")
        let store = try Store.openUnconfirmed(path: path)
        #expect(store.openReport.setAside == nil)
        #expect(try store.recordCounts() == ["User": 2])
        #expect(try StoreContents(store).batches.count == 2)
        let error = storeError { try store.confirm() }
        #expect(error?.code == .corrupt)
        #expect(error?.detail.contains("its application id is 1f, ") == true)
        let report = try store.replace(because: "damage found at the start")
        #expect(report.setAside?.reason == "damage found at the start")
        try store.close()
        #expect(try Store.open(path: path).openReport.setAside == nil)
    }

    @Test func `a changed application id without the mark, or without a store's tables, is left alone`() throws {
        try fill()
        try edit("PRAGMA application_id = 31")
        try FileManager.default.moveItem(atPath: path + "-mark", toPath: directory.path("b.store-mark"))
        #expect(storeError { _ = try Store.open(path: path) }?.code == .foreignFile)
        let other = directory.path("b.store")
        let queue = try DatabaseQueue(path: other)
        try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE theirs(a)") }
        try queue.close()
        #expect(storeError { _ = try Store.open(path: other) }?.code == .foreignFile)
    }
}

/// The files of a store, as they were at one moment.
struct StoreFiles {
    var main: [UInt8]
    var log: [UInt8]
    var mark: [UInt8]

    init(_ path: String) throws {
        func bytes(_ suffix: String) -> [UInt8] {
            (try? [UInt8](Data(contentsOf: URL(fileURLWithPath: path + suffix)))) ?? []
        }
        (main, log, mark) = (bytes(""), bytes("-wal"), bytes("-mark"))
    }

    func write(_ path: String, without missing: String? = nil) throws {
        for (suffix, bytes) in [("", main), ("-wal", log), ("-mark", mark)] {
            try? FileManager.default.removeItem(atPath: path + suffix)
            guard suffix != missing else { continue }
            try Data(bytes).write(to: URL(fileURLWithPath: path + suffix))
        }
    }
}

/// What crashes leave, and what damage does, at the level of bytes.
@Suite struct `The mark of a store` {
    private struct History {
        /// The files after each commit, and what the store held.
        var files: [StoreFiles] = []
        var states: [StoreContents] = []
        /// The last commit of each that was synced.
        var synced: [Int] = []

        init(_ path: String, using generator: inout SeededGenerator) throws {
            let store = try Store.open(path: path)
            var state = StoreContents()
            var last = 0
            for step in 0..<8 {
                if step > 0 {
                    var changes = try StoreChanges.random(using: &generator)
                    changes.facts["step"] = [UInt8(step)]
                    let isDurable = Bool.random(using: &generator)
                    try store.write(changes, durably: isDurable)
                    state.apply(changes)
                    if isDurable { last = step }
                }
                files.append(try StoreFiles(path))
                states.append(state)
                synced.append(last)
            }
            try store.close()
        }
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// What a store that opens with these files holds.
    private func open(_ files: StoreFiles) throws -> (OpenReport, StoreContents) {
        let path = directory.path("crashed.store")
        try files.write(path)
        let store = try Store.open(path: path)
        defer { try? store.close() }
        return (store.openReport, try StoreContents(store))
    }

    /// `new` as far as `isWritten` says, sector by sector, and otherwise `old`.
    private func mixed(_ old: [UInt8], _ new: [UInt8], sector: Int, _ isWritten: (Int) -> Bool) -> [UInt8] {
        var result = old + Array(repeating: 0, count: max(0, new.count - old.count))
        for start in stride(from: 0, to: new.count, by: sector) where isWritten(start) {
            let end = min(start + sector, new.count)
            result.replaceSubrange(start..<end, with: new[start..<end])
        }
        return result
    }

    @Test func `a process that is killed while it writes is never taken for damage, wherever the log ends`() {
        forEachSeed(12) { _, generator in
            let history = try History(directory.path("a.store"), using: &generator)
            defer { try? FileManager.default.removeItem(atPath: directory.path("a.store")) }
            for step in 1..<history.files.count {
                let (before, after) = (history.files[step - 1], history.files[step])
                for _ in 0..<6 {
                    let cut = Int.random(in: before.log.count...after.log.count, using: &generator)
                    var files = before
                    files.log = Array(after.log.prefix(cut))
                    let (report, contents) = try open(files)
                    guard report.setAside == nil else { throw CaseFailure("cut at \(cut): \(report)") }
                    try contents.demandEqual(to: history.states[cut == after.log.count ? step : step - 1], "\(cut)")
                }
            }
        }
    }

    @Test func `a power cut is never taken for damage, whatever of what was not synced is on disk`() {
        forEachSeed(12) { _, generator in
            let history = try History(directory.path("a.store"), using: &generator)
            defer { try? FileManager.default.removeItem(atPath: directory.path("a.store")) }
            for step in history.files.indices {
                let synced = history.synced[step]
                for _ in 0..<4 {
                    var files = history.files[synced]
                    files.log = mixed(files.log, history.files[step].log, sector: 512) { _ in
                        Bool.random(using: &generator)
                    }
                    // The mark may be any of those since, and its write may have been cut off.
                    files.mark = history.files[Int.random(in: synced...step, using: &generator)].mark
                    files.mark = otherBoot(files.mark)
                    if Int.random(in: 0..<4, using: &generator) == 0 {
                        let index = Int.random(in: 0..<64, using: &generator)
                        files.mark[index] ^= 0x10
                    }
                    let (report, contents) = try open(files)
                    guard report.setAside == nil else { throw CaseFailure("step \(step): \(report)") }
                    guard history.states[synced...step].contains(contents) else {
                        throw CaseFailure("step \(step): it holds what was never written as a whole, or too little")
                    }
                }
            }
        }
    }

    /// The same mark, written before the system was started anew.
    private func otherBoot(_ mark: [UInt8]) -> [UInt8] {
        stride(from: 0, to: mark.count, by: 64).flatMap { start -> [UInt8] in
            let slot = mark[start..<start + 64]
            guard var content = StoreMark.Content(slot) else { return Array(slot) }
            content.boot[0] ^= 0xFF
            return content.bytes
        }
    }

    @Test func `every flipped bit in what was committed is told, with the commits that are gone`() {
        forEachSeed(12) { seed, generator in
            let history = try History(directory.path("a.store"), using: &generator)
            defer { try? FileManager.default.removeItem(atPath: directory.path("a.store")) }
            for _ in 0..<40 {
                var files = try #require(history.files.last)
                let index = Int.random(in: 0..<files.log.count, using: &generator)
                files.log[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                let (report, contents) = try open(files)
                guard let aside = report.setAside, contents == StoreContents(),
                    aside.reason.contains(" are gone: ") || aside.reason.contains(" is gone: ")
                else { throw CaseFailure("byte \(index): \(report)") }
                // The log is kept with the file: it is evidence.
                guard FileManager.default.fileExists(atPath: aside.path + "-wal") else {
                    throw CaseFailure("byte \(index): no log beside \(aside.path)")
                }
            }
        }
    }
}
