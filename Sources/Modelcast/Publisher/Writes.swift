import ModelCache
public import ModelRecord
import ModelSync
public import ModelTypes
import ModelWire
import ZeroMQ

/// Several writes that are handed to a publisher together, by ``Publisher/batch(_:)`` or ``Publisher/transaction(_:)``.
///
/// Each is checked and encoded when it is added; nothing is published before the body has returned.
public struct Writes: ~Copyable, Sendable {
    var batch: WriteBatch
    private(set) var constants = WrittenConstants()
    private(set) var preconditions = WritePreconditions()
    private let clock: ServiceClock

    init(_ batch: consuming WriteBatch, _ clock: ServiceClock) { (self.batch, self.clock) = (batch, clock) }

    /// How many writes have been added.
    public var count: Int { batch.count }

    /// See ``Publisher/merge(_:_:_:expires:)``.
    public mutating func merge(
        _ type: String, _ id: String, _ fields: Fields, expires: Expiry = .unchanged
    ) throws(ModelcastError) {
        try add(.merge, type, id, fields, expires)
    }

    /// See ``Publisher/replace(_:_:_:expires:)``.
    public mutating func replace(
        _ type: String, _ id: String, _ fields: Fields, expires: Expiry = .unchanged
    ) throws(ModelcastError) {
        try add(.replace, type, id, fields, expires)
    }

    /// See ``Publisher/assign(_:_:_:expires:)``.
    public mutating func assign(
        _ type: String, _ id: String, _ fields: Fields, expires: Expiry = .unchanged
    ) throws(ModelcastError) {
        try add(.assign, type, id, fields, expires)
    }

    /// See ``Publisher/delete(_:_:)-(String,_)``.
    public mutating func delete(_ type: String, _ id: String) throws(ModelcastError) {
        try add(.delete, type, id, [:], .unchanged)
        constants.delete(type, id)
    }

    /// Lets all of these writes happen only if the model is as the writer takes it to be: compare and set. What counts
    /// is how it is before the first of the writes, in the copies that they are compared with.
    /// - Throws: ``ModelcastError`` for a bad type or id. That the model is otherwise is found when the body has
    ///   returned: the transaction throws then, with code `conflict`.
    public mutating func require(
        _ type: String, _ id: String, _ precondition: Precondition
    ) throws(ModelcastError) {
        do throws(NameError) {
            try Names.check(type: type)
            try Names.check(id: id)
        } catch {
            throw ModelcastError(error)
        }
        preconditions.add(type, id, precondition)
    }

    mutating func add<M: Model>(
        _ kind: Write, _ write: ModelWrite, _ expires: Expiry?, of model: M.Type
    ) throws(ModelcastError) {
        try constants.add(write)
        try add(kind, write.type, write.id, write.fields, write.expiry(expires, of: model))
    }

    private mutating func add(
        _ write: Write, _ type: String, _ id: String, _ fields: Fields, _ expires: Expiry
    ) throws(ModelcastError) {
        do throws(WireError) {
            if expires.isUnchanged {
                try batch.append(write, type: type, id: id, fields: fields)
            } else {
                try batch.append(write, type: type, id: id, fields: fields.ending(expires, now: clock.now()))
            }
        } catch {
            throw ModelcastError(error)
        }
    }
}
