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

    /// The state of a file before ``bring(_:path:isMarked:)``.
    enum FileState: Hashable {
        case empty
        case current
        case older(Int)
    }

    /// The findings of ``bring(_:path:isMarked:)``.
    struct Finding {
        var state: FileState
        /// The application id of the file is damaged. Its rows can be read, but nothing may be written to it.
        var damage: StoreError?
    }

    /// Migrates the file to this version. Each step is a transaction of its own, which also sets the version.
    /// - Parameter isMarked: a mark stands beside the file, so the file was a store once.
    /// - Throws: ``StoreError/Code/foreignFile`` for another program's file, ``StoreError/Code/corrupt`` for a store
    ///   that has lost its content.
    func bring(_ database: Database, path: String, isMarked: Bool) throws -> Finding {
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let entries = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        let isEmpty = id == 0 && found == 0 && entries == 0
        guard !isEmpty || !isMarked else {
            // A file with a mark had its layout on disk before the mark was made.
            throw StoreError(.corrupt, path: path, "it holds nothing, though a mark stands beside it")
        }
        var damage: StoreError?
        if !isEmpty, id != Schema.applicationID {
            damage = try Schema.damage(ofID: id, database, path: path, isMarked: isMarked)
        }
        let known = (damage == nil ? 0 : 1)...version
        guard known.contains(found) else {
            throw damage
                ?? StoreError(
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
        let state: FileState = found == version ? .current : found == 0 ? .empty : .older(found)
        return Finding(state: state, damage: damage)
    }

    /// The damage of a store whose application id is wrong: its mark stands beside it, and it has all tables.
    /// - Throws: ``StoreError/Code/foreignFile`` where it is another program's file.
    private static func damage(ofID id: Int, _ database: Database, path: String, isMarked: Bool) throws -> StoreError {
        let count = try Int.fetchOne(
            database,
            sql: """
                SELECT count(*) FROM sqlite_master
                WHERE type = 'table' AND name IN ('type', 'record', 'head', 'origin', 'batch', 'fact')
                """)
        guard isMarked, count == 6 else {
            throw StoreError(.foreignFile, path: path, "an SQLite file, but not one of Modelcast's")
        }
        let digits = String(UInt32(truncatingIfNeeded: id), radix: 16)
        return StoreError(.corrupt, path: path, "its application id is \(digits), which is not that of a store")
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
