import GRDB
import GRDBSQLite

/// The rows of a query that changes nothing, read in place by SQLite's own functions. A warm start reads a million
/// rows, and GRDB's own row type would take a third of that time.
///
/// Columns count from 0.
struct Rows: ~Copyable {
    private let database: Database
    /// Keeps the statement alive.
    private let statement: Statement

    init(_ database: Database, sql: String) throws {
        self.database = database
        statement = try database.makeStatement(sql: sql)
    }

    deinit { unsafe sqlite3_reset(statement.sqliteStatement) }

    /// Goes to the next row.
    /// - Returns: false after the last row.
    /// - Throws: `DatabaseError`.
    mutating func next() throws -> Bool {
        switch unsafe sqlite3_step(statement.sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
        }
    }

    /// The column as a number; 0 where it is not a number.
    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement.sqliteStatement, column) }

    /// Appends the bytes of the column; none where it is not a blob.
    func append(_ column: Int32, to bytes: inout [UInt8]) {
        let raw = unsafe statement.sqliteStatement
        guard unsafe sqlite3_column_type(raw, column) == SQLITE_BLOB,
            let start = unsafe sqlite3_column_blob(raw, column)
        else { return }
        // SQLite keeps this many bytes there unchanged until the next step.
        let count = Int(unsafe sqlite3_column_bytes(raw, column))
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
    }
}
