import GRDB

/// A row whose checksum is wrong, in any table but that of records. It was skipped.
public struct DamagedRow: Hashable, Sendable {
    /// The table that the row belongs to.
    public enum Table: String, Hashable, Sendable {
        /// One case for each table but that of records.
        case type, head, origin, batch, fact
    }

    /// The table of the row.
    public var table: Table
    /// The key of the row, as far as it can be read. The key itself may be what is damaged.
    public var key: String
    /// The type of the models that the row concerns, as far as it can be read.
    public var type: String?

    /// Describes a damaged row.
    public init(table: Table, key: String, type: String? = nil) {
        self.table = table
        self.key = key
        self.type = type
    }
}

/// Checked access to the columns of a row, as a damaged one may hold values of any kind.
extension Row {
    func text(_ column: Int) throws(BadRow) -> String {
        let value: DatabaseValue = self[column]
        guard case .string(let text) = value.storage else { throw BadRow(reason: "no text") }
        return text
    }

    func bytes(_ column: Int) throws(BadRow) -> [UInt8] {
        let value: DatabaseValue = self[column]
        guard case .blob(let bytes) = value.storage else { throw BadRow(reason: "no bytes") }
        return [UInt8](bytes)
    }

    func number(_ column: Int) throws(BadRow) -> UInt64 {
        let value: DatabaseValue = self[column]
        guard case .int64(let number) = value.storage else { throw BadRow(reason: "no number") }
        return UInt64(bitPattern: number)
    }
}
