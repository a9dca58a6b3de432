import Foundation
import GRDB
import ModelRecord

/// An open file with everything that its opening has found.
struct Opened {
    var connection: DatabaseQueue
    var report: OpenReport
    var types: TypeNumbers
    var batchByteCount: Int
    /// The number of the store; nil until ``confirm(_:_:)`` has given a new one its number.
    var store: UInt64?
    /// The number of the last transaction.
    var commitNumber: UInt64
    /// Nil until ``confirm(_:_:)``.
    var mark: StoreMark?
    /// When the store began, in Unix milliseconds; 0 where it is not known.
    private(set) var beganMilliseconds: UInt64
    /// Why the file cannot be confirmed: the mark tells of more commits, the facts cannot be read, or the application
    /// id is wrong.
    private var loss: StoreError?

    /// Opens a file. A damaged file is set aside, and a new one is made.
    static func orSetAside(path: String, configuration: StoreConfiguration, schema: Schema) throws(StoreError) -> Self {
        do {
            return try confirmed(path: path, configuration: configuration, schema: schema)
        } catch  where error.code == .corrupt {
            // The mark is renamed with the file, so it is read before.
            let lost = LostCommits.all(of: path)
            let aside = try StoreFile(path: path).setAside()
            var opened = try confirmed(path: path, configuration: configuration, schema: schema)
            opened.report.setAside = OpenReport.SetAside(path: aside, reason: error.detail, lost: lost)
            return opened
        }
    }

    /// Opens a file, checks it, and begins to use it.
    /// - Parameter began: when the store began in whose place a new file comes, as that file gets what was in the one
    ///   before.
    static func confirmed(
        path: String, configuration: StoreConfiguration, schema: Schema, beganMilliseconds began: UInt64? = nil
    ) throws(StoreError) -> Self {
        var opened = try Opened(path: path, configuration: configuration, schema: schema)
        if let began { opened.beganMilliseconds = began }
        do {
            let confirming = opened
            opened = try opened.connection.writeWithoutTransaction { database in
                var opened = confirming
                try opened.confirm(database, configuration)
                return opened
            }
            return opened
        } catch {
            // The lock must be gone before the file is renamed, and before the caller goes on.
            try? opened.connection.close()
            throw StoreError(error, path: path, while: "opening")
        }
    }

    /// Opens a file and changes nothing in it, except that an older layout is migrated. ``confirm(_:_:)`` has to follow
    /// before anything is written.
    init(path: String, configuration: StoreConfiguration, schema: Schema) throws(StoreError) {
        let file = StoreFile(path: path)
        try file.checkDirectory()
        let mark = StoreMark.read(path: path + StoreMark.suffix)
        try file.checkContent(mark: mark)
        let isNew = file.byteCount == 0
        file.makePrivate()
        do {
            let connection = try DatabaseQueue(path: path, configuration: Opened.settings(configuration))
            do {
                self = try connection.writeWithoutTransaction { database in
                    // The log is kept until the file is known to be whole, as a broken log is evidence.
                    try database.keepLog(true, byteCount: configuration.logByteCount)
                    return try Opened(connection, database, path: path, mark: isNew ? nil : mark, schema: schema)
                }
                // The file is a store by now, so no other program's file is touched.
                report.tightened = file.tighten()
            } catch {
                let known = StoreError(error, path: path, while: "opening")
                if known.code != .corrupt {
                    // Another program's file must not get a log beside it.
                    try? connection.writeWithoutTransaction {
                        try $0.keepLog(false, byteCount: configuration.logByteCount)
                    }
                }
                try? connection.close()
                throw known
            }
        } catch {
            throw StoreError(error, path: path, while: "opening")
        }
    }

    private init(
        _ connection: DatabaseQueue, _ database: Database, path: String, mark: StoreMark.Content?, schema: Schema
    ) throws {
        let finding = try schema.bring(database, path: path, isMarked: mark != nil)
        let isNew = finding.state == .empty
        var facts = Facts()
        do {
            if !isNew { facts = try Facts(database) }
        } catch {
            // The records can still be read, but nothing is written to such a file.
            let known = StoreError(error, path: path, while: "reading facts")
            guard known.code == .corrupt else { throw known }
            loss = known
        }
        // Read now, so that damage shows up at the opening and not at the first use.
        types = try TypeNumbers(database)
        batchByteCount = try Int.fetchOne(database, sql: "SELECT coalesce(sum(length(payload)), 0) FROM batch") ?? 0
        let result: OpenReport.OpenResult =
            switch finding.state {
            case .empty: .created
            case .current: .opened
            case .older(let version): .migrated(from: version)
            }
        report = OpenReport(path: path, result: result, wasClosed: facts.wasClosed, isWhole: facts.isWhole)
        self.connection = connection
        (store, commitNumber) = (facts.store, facts.commitNumber)
        let isOwnMark = facts.store == nil || mark?.store == facts.store
        beganMilliseconds = isNew ? Opened.nowMilliseconds : isOwnMark ? mark?.beganMilliseconds ?? 0 : 0
        report.isUnmarked = store != nil && mark?.store != store
        if let mark, loss == nil, mark.store == store {
            self.mark = StoreMark(path: path + StoreMark.suffix, content: mark)
            let expected = mark.expected(boot: StoreMark.boot)
            if commitNumber < expected { loss = try Opened.loss(after: commitNumber, of: expected, database, path) }
        }
        loss = loss ?? finding.damage
    }

    private static var nowMilliseconds: UInt64 { UInt64(max(0, Date().timeIntervalSince1970) * 1000) }

    /// The facts that concern the file itself.
    private struct Facts {
        var wasClosed = true
        var isWhole = true
        var store: UInt64?
        var commitNumber: UInt64 = 0

        init() {}

        init(_ database: Database) throws {
            wasClosed = try Opened.flag(StoreFacts.Key.closed, database)
            isWhole = try Opened.flag(StoreFacts.Key.whole, database)
            store = try Opened.number(StoreFacts.Key.store, database)
            commitNumber = try Opened.number(StoreFacts.Key.commit, database) ?? 0
        }
    }

    /// The loss of the commits after `number`. They were made after the last batch that is still here, and not after
    /// the last write of the mark.
    private static func loss(
        after number: UInt64, of expected: UInt64, _ database: Database, _ path: String
    ) throws -> StoreError {
        let last = try Int64.fetchOne(
            database, sql: "SELECT max(written) FROM batch WHERE typeof(written) = 'integer'")
        let mark = path + StoreMark.suffix
        let lost = LostCommits(
            after: number, through: expected, sinceMilliseconds: last.map { UInt64(clamping: $0) }, mark: mark)
        return StoreError(
            .corrupt, path: path,
            "it ends with commit \(number), and \(lost): its log was damaged or taken away, or an older copy of the "
                + "file was put here (delete \(mark) to go on with such a copy)")
    }

    /// Checks whether the file is whole, and begins to use it.
    /// - Throws: ``StoreError/Code/corrupt`` when commits are missing, or the structure is damaged.
    mutating func confirm(_ database: Database, _ configuration: StoreConfiguration) throws {
        if let loss { throw loss }
        if configuration.check == .always || (configuration.check == .afterCrash && !report.wasClosed) {
            try Opened.check(database, path: report.path)
        }
        try database.keepLog(false, byteCount: configuration.logByteCount)
        let number = commitNumber + 1
        let id = store ?? UInt64.random(in: 1 ... .max)
        var facts = StoreFacts()
        facts[StoreFacts.Key.closed] = [0]
        facts[StoreFacts.Key.whole] = [1]
        facts[StoreFacts.Key.store] = id.bigEndianBytes
        facts[StoreFacts.Key.commit] = number.bigEndianBytes
        try database.inTransaction(.immediate) {
            for (name, value) in facts.values {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO fact(name, value, sum) VALUES (?, ?, ?)",
                    arguments: [name, Data(value), RowSum.fact(name, value)])
            }
            return .commit
        }
        // After the checkpoint the file itself holds its layout and its number, so it is never taken for an empty one.
        let isFirst = store == nil
        if isFirst { try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        (store, commitNumber) = (id, number)
        let content = StoreMark.Content(
            store: id, synced: 0, written: number, boot: StoreMark.boot, beganMilliseconds: beganMilliseconds)
        var mark = mark ?? StoreMark(path: report.path + StoreMark.suffix, content: content)
        mark.begin(boot: StoreMark.boot)
        mark.note(number, isSynced: isFirst)
        self.mark = mark
    }

    /// True unless the fact says 0.
    private static func flag(_ name: String, _ database: Database) throws -> Bool {
        try Bool.fetchOne(database, sql: "SELECT value <> x'00' FROM fact WHERE name = ?", arguments: [name]) ?? true
    }

    /// A fact of eight bytes as a number; nil where it is missing or damaged.
    private static func number(_ name: String, _ database: Database) throws -> UInt64? {
        let row = try Row.fetchOne(database, sql: "SELECT value, sum FROM fact WHERE name = ?", arguments: [name])
        guard let row, let value = try? row.bytes(0), Int64.fromDatabaseValue(row[1]) == RowSum.fact(name, value),
            value.count == 8
        else { return nil }
        return UInt64(bigEndianBytes: value)
    }

    private static func check(_ database: Database, path: String) throws {
        let words = try String.fetchAll(database, sql: "PRAGMA quick_check(1)")
        guard words != ["ok"] else { return }
        // SQLite puts a line with the name of the database before the lines of its findings. A log has one line.
        let findings = words.flatMap { $0.split(separator: "\n") }.filter { !$0.hasPrefix("*** in database") }
        let text = findings.isEmpty ? "\(words)" : findings.joined(separator: ", ")
        throw StoreError(.corrupt, path: path, "the check found: \(text.shown())")
    }

    /// The lock is exclusive: it is taken at the first read and kept, so SQLite needs no shared memory beside the file.
    private static func settings(_ configuration: StoreConfiguration) -> Configuration {
        var settings = Configuration()
        settings.label = "modelcast.store"
        settings.busyMode = .immediateError
        settings.foreignKeysEnabled = false
        settings.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = NORMAL;
                    PRAGMA fullfsync = ON;
                    PRAGMA cache_size = -\(configuration.pageCacheByteCount >> 10);
                    PRAGMA wal_autocheckpoint = \(max(configuration.logByteCount / 4096, 1));
                    """)
        }
        return settings
    }
}
