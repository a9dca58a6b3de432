import GRDB

/// One step from a layout of the file to the next.
struct Migration: Sendable {
    /// The name of the step in messages.
    let name: String
    let run: @Sendable (Database) throws -> Void
}

/// The layouts of the file: `migrations[n]` leads from version n to n + 1, version 0 being an empty file.
///
/// The version stands in SQLite's `user_version`, the mark of a store in its `application_id`.
struct Schema: Sendable {
    var migrations: [Migration]

    var version: Int { migrations.count }

    static let current = Schema(migrations: [
        Migration(name: "first layout", run: Schema.createFirst),
        Migration(name: "checksums", run: Schema.addSums),
    ])

    /// "MdCs" in ASCII, by which `file` and this module recognise a store.
    static let applicationID = 0x4D64_4373

    /// The state of a file before ``bring(_:path:)``.
    enum FileState: Hashable {
        case empty
        case current
        case older(Int)
    }

    /// Migrates the file to this version. Each step is a transaction of its own, which also sets the version.
    func bring(_ database: Database, path: String) throws -> FileState {
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let mark = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        guard mark == Schema.applicationID || (mark == 0 && found == 0 && tables == 0) else {
            throw StoreError(.foreignFile, path: path, "an SQLite file, but not one of Modelcast's")
        }
        guard (0...version).contains(found) else {
            throw StoreError(
                .newerSchema, path: path, "schema version \(found); this program knows versions up to \(version)")
        }
        for number in found..<version {
            try database.inTransaction(.immediate) {
                try migrations[number].run(database)
                try database.execute(sql: "PRAGMA user_version = \(number + 1)")
                try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
                return .commit
            }
        }
        return found == version ? .current : found == 0 ? .empty : .older(found)
    }

    /// Records lie in the order in which they were added, and an index finds them. Measured against a clustered table
    /// (WITHOUT ROWID), new records in random order took a fifth of the time, rewritten ones half.
    @Sendable private static func createFirst(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE type(
                    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                CREATE TABLE record(
                    row INTEGER PRIMARY KEY, type INTEGER NOT NULL, id BLOB NOT NULL, bytes BLOB NOT NULL,
                    UNIQUE(type, id));
                CREATE TABLE head(
                    origin TEXT NOT NULL, topic BLOB NOT NULL, incarnation INTEGER NOT NULL, sequence INTEGER NOT NULL,
                    PRIMARY KEY(origin, topic)) WITHOUT ROWID;
                CREATE TABLE origin(
                    name TEXT PRIMARY KEY, incarnation INTEGER NOT NULL, stamp INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE batch(
                    row INTEGER PRIMARY KEY, origin TEXT NOT NULL, incarnation INTEGER NOT NULL, topic BLOB NOT NULL,
                    sequence INTEGER NOT NULL, written INTEGER NOT NULL, payload BLOB NOT NULL,
                    UNIQUE(origin, incarnation, topic, sequence));
                CREATE TABLE fact(
                    name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
                """)
    }

    /// Adds a checksum to each row, as its last column. The content of an older file is trusted: its checksums are made
    /// of what it holds now.
    @Sendable private static func addSums(_ database: Database) throws {
        database.add(function: RowSum.function)
        defer { database.remove(function: RowSum.function) }
        let columns: [(String, RowSum.Table, String)] = [
            ("type", .type, "number, name"),
            ("record", .record, "type, id, bytes"),
            ("head", .head, "origin, topic, incarnation, sequence"),
            ("origin", .origin, "name, incarnation, stamp"),
            ("batch", .batch, "origin, incarnation, topic, sequence, written, payload"),
            ("fact", .fact, "name, value"),
        ]
        for (name, table, columns) in columns {
            try database.execute(
                sql: """
                    ALTER TABLE \(name) ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
                    UPDATE \(name) SET sum = modelcast_sum(\(table.rawValue), \(columns));
                    """)
        }
    }
}
