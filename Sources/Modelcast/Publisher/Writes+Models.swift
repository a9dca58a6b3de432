public import ModelTypes

/// Writes of models as Swift types. They throw what the same methods of ``Publisher`` throw. A constant field that
/// already has another value is found when the body has returned.
extension Writes {
    /// See ``Publisher/publish(_:)-(M)``.
    public mutating func publish<M: Model>(_ model: M) throws { try add(.merge, ModelWrite(model)) }

    /// See ``Publisher/publish(_:)-(P)``.
    public mutating func publish<P: PartialModel>(_ partial: P) throws { try add(.merge, ModelWrite(partial)) }

    /// See ``Publisher/assign(_:)``.
    public mutating func assign<M: Model>(_ model: M) throws { try add(.assign, ModelWrite(model)) }

    /// See ``Publisher/replace(_:)``.
    public mutating func replace<M: Model>(_ model: M) throws { try add(.replace, ModelWrite(model)) }

    /// See ``Publisher/publish(changesFrom:to:)``.
    public mutating func publish<M: Model>(changesFrom old: M, to new: M) throws {
        let changes = try ModelWrite(changesFrom: old, to: new)
        if changes.fields.count > 0 { try add(.merge, changes) }
    }

    /// See ``Publisher/delete(_:_:)-(_,M.ID)``.
    public mutating func delete<M: Model>(_ type: M.Type, _ id: M.ID) throws(ModelcastError) {
        try delete(M.modelType, id.idText)
    }
}
