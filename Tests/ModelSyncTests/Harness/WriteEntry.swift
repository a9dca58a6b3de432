import ModelRecord
import ModelSync
import ModelWire

/// A write, for tests that do the same one in several ways.
struct WriteEntry: Sendable {
    var write: Write
    var type: String
    var id: String
    var fields: Fields
}

extension WriteBatch {
    mutating func append(_ entry: WriteEntry) throws(WireError) {
        try append(entry.write, type: entry.type, id: entry.id, fields: entry.fields)
    }
}
