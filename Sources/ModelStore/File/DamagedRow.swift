import GRDB

/// A row, of another table than that of records, whose checksum is wrong: it was passed over.
public struct DamagedRow: Hashable, Sendable {
    /// What a row is of.
    public enum Table: String, Hashable, Sendable {
        case type, head, origin, batch, fact
    }

    public var table: Table
    /// What it is of, as far as that can be read: it may itself be what is damaged.
    public var key: String
    /// The type of the models that it speaks of, as far as that can be read.
    public var type: String?

    public init(table: Table, key: String, type: String? = nil) {
        self.table = table
        self.key = key
        self.type = type
    }
}

/// The columns of a row, of which nothing is certain: a damaged one may hold anything.
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
