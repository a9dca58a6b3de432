import ModelCache
public import ModelRecord
import ModelSync
import ModelWire
import ZeroMQ

/// Several writes that are handed to a publisher together, by ``Publisher/batch(_:)`` or ``Publisher/transaction(_:)``.
///
/// Each is checked and encoded when it is added; nothing is published before the body has returned.
public struct Writes: ~Copyable, Sendable {
    var batch: WriteBatch
    private(set) var constants = WrittenConstants()

    init(_ batch: consuming WriteBatch) { self.batch = batch }

    /// How many writes have been added.
    public var count: Int { batch.count }

    /// See ``Publisher/merge(_:_:_:)``.
    public mutating func merge(_ type: String, _ id: String, _ fields: Fields) throws(ModelcastError) {
        try add(.merge, type, id, fields)
    }

    /// See ``Publisher/replace(_:_:_:)``.
    public mutating func replace(_ type: String, _ id: String, _ fields: Fields) throws(ModelcastError) {
        try add(.replace, type, id, fields)
    }

    /// See ``Publisher/assign(_:_:_:)``.
    public mutating func assign(_ type: String, _ id: String, _ fields: Fields) throws(ModelcastError) {
        try add(.assign, type, id, fields)
    }

    /// See ``Publisher/delete(_:_:)-(String,_)``.
    public mutating func delete(_ type: String, _ id: String) throws(ModelcastError) {
        try add(.delete, type, id, [:])
        constants.delete(type, id)
    }

    mutating func add(_ kind: Write, _ write: ModelWrite) throws(ModelcastError) {
        try constants.add(write)
        try add(kind, write.type, write.id, write.fields)
    }

    private mutating func add(
        _ write: Write, _ type: String, _ id: String, _ fields: Fields
    ) throws(ModelcastError) {
        do throws(WireError) {
            try batch.append(write, type: type, id: id, fields: fields)
        } catch {
            throw ModelcastError(error)
        }
    }
}
