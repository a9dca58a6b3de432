import GRDB
import GRDBSQLite

extension Database {
    /// Chooses whether the write-ahead log stays beside the file when the connection is closed.
    ///
    /// By default SQLite deletes the log, by its name. A log that is evidence of damage must stay. So must a log whose
    /// file was replaced, as it may belong to another store by now. May not be called inside a transaction.
    /// - Parameter byteCount: the size in bytes to which the log is cut where it is not kept.
    func keepLog(_ isKept: Bool, byteCount: Int) throws {
        var flag: Int32 = isKept ? 1 : 0
        // SQLite writes the former value to the pointer, which is valid during the call, and nowhere else.
        unsafe sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &flag)
        try execute(sql: "PRAGMA journal_size_limit = \(isKept ? -1 : byteCount)")
    }
}
