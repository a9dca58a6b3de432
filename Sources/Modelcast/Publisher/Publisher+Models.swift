import ModelCache
public import ModelRecord
public import ModelSync
public import ModelTypes
public import ModelViews

extension Publisher: ModelSource {
    /// The model `id` of `type` as this publisher has it, or nil when it does not exist.
    public subscript(type: String, id: String) -> CellRecord? { cache[type, id] }

    /// The record of a model of a Swift type, or nil when it does not exist.
    public func record<M: Model>(of type: M.Type, _ id: M.ID) -> CellRecord? { cache.record(of: type, id) }

    /// Reports the records of which a Swift type could not be made when they were read as that type.
    public var problems: ModelProblems { cache.problems }

    /// One cut across all types that does not change any more. O(1).
    public func snapshot() -> Snapshot { cache.snapshot() }
}

/// Writes of models as Swift types, by the verbs of those by names: `merge`, `replace`, `assign`, `delete`. Each throws
/// what it throws by names, and also code `constant` where a constant field already has another value, and `model` for
/// a model that cannot be written. Nothing has changed then.
extension Publisher {
    /// Sets the fields that a model has, and leaves all others as they are. Only fields whose value differs are sent.
    @discardableResult
    public func merge<M: Model>(_ model: M, expires: Expiry? = nil) throws(ModelcastError) -> PublishOutcome {
        try write(.merge, ModelWrite(model), expires, of: M.self)
    }

    /// Publishes the fields that a partial model knows, and leaves all others as they are.
    @discardableResult
    public func merge<P: PartialModel>(_ partial: P, expires: Expiry? = nil) throws(ModelcastError) -> PublishOutcome {
        try write(.merge, ModelWrite(partial), expires, of: P.Complete.self)
    }

    /// Makes the fields of a model the only ones, by sending the difference. All others become unknown, also those that
    /// the Swift type does not have.
    @discardableResult
    public func assign<M: Model>(_ model: M, expires: Expiry? = nil) throws(ModelcastError) -> PublishOutcome {
        try write(.assign, ModelWrite(model, isWhole: true), expires, of: M.self)
    }

    /// Makes the fields of a model the only ones: all others are removed, whoever wrote them, also those that have not
    /// arrived here yet.
    @discardableResult
    public func replace<M: Model>(_ model: M, expires: Expiry? = nil) throws(ModelcastError) -> PublishOutcome {
        try write(.replace, ModelWrite(model, isWhole: true), expires, of: M.self)
    }

    /// Publishes the fields that differ between two states of a model, and nothing else.
    @discardableResult
    public func merge<M: Model>(changesFrom old: M, to new: M) throws(ModelcastError) -> PublishOutcome {
        let changes = try ModelWrite(changesFrom: old, to: new)
        // Without a difference nothing is written, as the model may have been deleted meanwhile.
        return changes.fields.count == 0 ? .unchanged : try write(.merge, changes, nil, of: M.self)
    }

    /// Deletes a model.
    @discardableResult
    public func delete<M: Model>(_ type: M.Type, _ id: M.ID) throws(ModelcastError) -> PublishOutcome {
        try delete(M.modelType, id.idText)
    }

    /// Changes a model: reads it, calls `change`, and publishes the fields that differ.
    ///
    /// ```swift
    /// try publisher.update(User.self, id) { $0.age = 31 }
    /// ```
    /// Atomic for the model in this process: no other write of this publisher comes between.
    ///
    /// `change` runs under no lock. It is called again where another write did come between.
    /// - Throws: also the errors of `change`, and ``ModelcastError`` with code `not-found` where the model does not
    ///   exist in this publisher's copy, or `model` where its record makes none. Nothing has changed then.
    @discardableResult
    public func update<M: Model>(
        _ type: M.Type, _ id: M.ID, _ change: (inout M) throws -> Void
    ) throws -> PublishOutcome {
        while let record = cache[M.modelType, id.idText] {
            let old: M
            switch record.state(of: type, telling: problems.tell).current {
            case .success(let model): old = model
            case .failure(let problem): throw ModelcastError(problem)
            }
            let write = try ModelWrite(changesFrom: old, to: old.with(change))
            if write.fields.count == 0 { return .unchanged }
            let expires = write.expiry(nil, of: type)
            if let outcome = try self.write(.merge, write, expires, ifStill: record) { return outcome }
        }
        throw ModelcastError(
            .notFound,
            "\(M.modelType) \(id.idText) does not exist in this publisher's copy, so there is nothing to change; "
                + "merge(_:) writes a model that does not exist yet")
    }

    private func write<M: Model>(
        _ kind: Write, _ write: ModelWrite, _ expires: Expiry?, of type: M.Type
    ) throws(ModelcastError) -> PublishOutcome {
        let expires = write.expiry(expires, of: type)
        return try self.write(kind, write.type, write.id, write.fields, expires) { () throws(ModelcastError) in
            try write.requireConstants(in: cache)
            return true
        }
    }

    /// Writes only if the model still has this record.
    /// - Returns: nil where it has another record by now.
    private func write(
        _ kind: Write, _ write: ModelWrite, _ expires: Expiry, ifStill record: CellRecord
    ) throws(ModelcastError) -> PublishOutcome? {
        var isStill = true
        let outcome = try self.write(kind, write.type, write.id, write.fields, expires) { () throws(ModelcastError) in
            isStill = cache[write.type, write.id]?.isIdentical(to: record) ?? false
            if isStill { try write.requireConstants(in: cache) }
            return isStill
        }
        return isStill ? outcome : nil
    }
}
