public import ModelTypes

/// Writes of models as Swift types. They throw what the same methods of ``Publisher`` throw. A constant field that
/// already has another value is found when the body has returned.
extension Writes {
    /// See ``Publisher/merge(_:)-(M)``.
    public mutating func merge<M: Model>(_ model: M) throws(ModelcastError) { try add(.merge, ModelWrite(model)) }

    /// See ``Publisher/merge(_:)-(P)``.
    public mutating func merge<P: PartialModel>(_ partial: P) throws(ModelcastError) {
        try add(.merge, ModelWrite(partial))
    }

    /// See ``Publisher/assign(_:)``.
    public mutating func assign<M: Model>(_ model: M) throws(ModelcastError) {
        try add(.assign, ModelWrite(model, isWhole: true))
    }

    /// See ``Publisher/replace(_:)``.
    public mutating func replace<M: Model>(_ model: M) throws(ModelcastError) {
        try add(.replace, ModelWrite(model, isWhole: true))
    }

    /// See ``Publisher/merge(changesFrom:to:)``.
    public mutating func merge<M: Model>(changesFrom old: M, to new: M) throws(ModelcastError) {
        let changes = try ModelWrite(changesFrom: old, to: new)
        if changes.fields.count > 0 { try add(.merge, changes) }
    }

    /// See ``Publisher/delete(_:_:)-(_,M.ID)``.
    public mutating func delete<M: Model>(_ type: M.Type, _ id: M.ID) throws(ModelcastError) {
        try delete(M.modelType, id.idText)
    }
}
