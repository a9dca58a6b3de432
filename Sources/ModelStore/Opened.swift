import GRDB

/// What opening a file brings forth.
struct Opened {
    var connection: DatabaseQueue
    var report: OpenReport
    var types: TypeNumbers
    var batchByteCount: Int

    /// Opens a file; one that is damaged is set aside, and a new one made.
    static func orSetAside(path: String, configuration: StoreConfiguration, schema: Schema) throws(StoreError) -> Self {
        let file = StoreFile(path: path)
        try file.checkDirectory()
        do {
            return try Opened(path: path, configuration: configuration, schema: schema)
        } catch  where error.code == .corrupt {
            let aside = try file.setAside()
            var opened = try Opened(path: path, configuration: configuration, schema: schema)
            opened.report.setAside = OpenReport.SetAside(path: aside, reason: error.detail)
            return opened
        }
    }

    init(path: String, configuration: StoreConfiguration, schema: Schema) throws(StoreError) {
        do {
            try StoreFile(path: path).checkSize()
            let connection = try DatabaseQueue(path: path, configuration: Opened.settings(configuration))
            do {
                self = try connection.writeWithoutTransaction { database in
                    try Opened(connection, database, path: path, configuration: configuration, schema: schema)
                }
            } catch {
                // Before it is renamed, and before the caller goes on: the lock must be gone.
                try? connection.close()
                throw error
            }
        } catch {
            throw StoreError(error, path: path, while: "opening")
        }
    }

    private init(
        _ connection: DatabaseQueue, _ database: Database, path: String, configuration: StoreConfiguration,
        schema: Schema
    ) throws {
        let finding = try schema.bring(database, path: path)
        let isNew = finding == .empty
        let wasClosed = isNew ? true : try Opened.flag(StoreFacts.Key.closed, database)
        let isWhole = isNew ? true : try Opened.flag(StoreFacts.Key.whole, database)
        if configuration.check == .always || (configuration.check == .afterCrash && !wasClosed) {
            try Opened.check(database, path: path)
        }
        // No damage is to show up between here and the first use.
        types = try TypeNumbers(database)
        batchByteCount = try Int.fetchOne(database, sql: "SELECT coalesce(sum(length(payload)), 0) FROM batch") ?? 0
        try database.execute(
            sql: "INSERT OR REPLACE INTO fact VALUES (?, x'00'), (?, x'01')",
            arguments: [StoreFacts.Key.closed, StoreFacts.Key.whole])
        self.connection = connection
        let outcome: OpenReport.Outcome =
            switch finding {
            case .empty: .created
            case .current: .opened
            case .older(let version): .migrated(from: version)
            }
        report = OpenReport(path: path, outcome: outcome, wasClosed: wasClosed, isWhole: isWhole)
    }

    /// True unless the fact says 0.
    private static func flag(_ name: String, _ database: Database) throws -> Bool {
        try Bool.fetchOne(database, sql: "SELECT value <> x'00' FROM fact WHERE name = ?", arguments: [name]) ?? true
    }

    private static func check(_ database: Database, path: String) throws {
        let words = try String.fetchAll(database, sql: "PRAGMA quick_check(1)")
        guard words == ["ok"] else {
            throw StoreError(.corrupt, path: path, "the check found: \(words.first ?? "nothing")")
        }
    }

    /// The lock is taken at the first read and kept, so no shared memory is needed beside the file.
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
                    PRAGMA journal_size_limit = \(configuration.logByteCount);
                    """)
        }
        return settings
    }
}

/// The numbers that stand for the names of types in the rows of records.
struct TypeNumbers {
    private var numbers: [String: Int64] = [:]
    private var names: [Int64: String] = [:]

    init() {}

    init(_ database: Database) throws {
        for row in try Row.fetchAll(database, sql: "SELECT name, number FROM type") {
            numbers[row[0]] = row[1]
            names[row[1]] = row[0]
        }
    }

    subscript(name: String) -> Int64? { numbers[name] }

    subscript(number: Int64) -> String? { names[number] }

    /// The number of `name`, given to it now if it has none. A copy is to be kept once the transaction has committed.
    mutating func number(of name: String, _ database: Database) throws -> Int64 {
        if let number = numbers[name] { return number }
        try database.execute(sql: "INSERT INTO type(name) VALUES (?)", arguments: [name])
        let number = database.lastInsertedRowID
        numbers[name] = number
        names[number] = name
        return number
    }
}
