public import ModelTypes

/// Writes of models as Swift types. They throw what the same methods of ``Publisher`` throw. A constant field that
/// already has another value is found when the body has returned.
extension Writes {
    /// See ``Publisher/merge(_:expires:)-(M,_)``.
    public mutating func merge<M: Model>(_ model: M, expires: Expiry? = nil) throws(ModelcastError) {
        try add(.merge, ModelWrite(model), expires, of: M.self)
    }

    /// See ``Publisher/merge(_:expires:)-(P,_)``.
    public mutating func merge<P: PartialModel>(_ partial: P, expires: Expiry? = nil) throws(ModelcastError) {
        try add(.merge, ModelWrite(partial), expires, of: P.Complete.self)
    }

    /// See ``Publisher/assign(_:expires:)``.
    public mutating func assign<M: Model>(_ model: M, expires: Expiry? = nil) throws(ModelcastError) {
        try add(.assign, ModelWrite(model, isWhole: true), expires, of: M.self)
    }

    /// See ``Publisher/replace(_:expires:)``.
    public mutating func replace<M: Model>(_ model: M, expires: Expiry? = nil) throws(ModelcastError) {
        try add(.replace, ModelWrite(model, isWhole: true), expires, of: M.self)
    }

    /// See ``Publisher/merge(changesFrom:to:)``.
    public mutating func merge<M: Model>(changesFrom old: M, to new: M) throws(ModelcastError) {
        let changes = try ModelWrite(changesFrom: old, to: new)
        if changes.fields.count > 0 { try add(.merge, changes, nil, of: M.self) }
    }

    /// See ``Publisher/delete(_:_:)-(_,M.ID)``.
    public mutating func delete<M: Model>(_ type: M.Type, _ id: M.ID) throws(ModelcastError) {
        try delete(M.modelType, id.idText)
    }
}
