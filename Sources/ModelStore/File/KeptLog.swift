import GRDB
import GRDBSQLite

extension Database {
    /// Whether the write-ahead log stays beside the file when the connection is closed.
    ///
    /// SQLite deletes it, by its name. A log that is evidence must stay, and one that may be another store's by now,
    /// because the file was replaced, must be left alone. May not be called inside a transaction.
    /// - Parameter byteCount: to which size the log is cut when it is let go.
    func keepLog(_ isKept: Bool, byteCount: Int) throws {
        var flag: Int32 = isKept ? 1 : 0
        // SQLite writes the former value to the pointer, which is valid during the call, and nowhere else.
        unsafe sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &flag)
        try execute(sql: "PRAGMA journal_size_limit = \(isKept ? -1 : byteCount)")
    }
}
