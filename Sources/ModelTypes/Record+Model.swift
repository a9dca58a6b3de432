public import ModelRecord

extension Record {
    /// What this record is as a Swift type. It is made once and kept on the record: from then on this costs some
    /// nanoseconds and a copy.
    /// - Parameters:
    ///   - tell: is called where the model cannot be made, or has another value in a constant field than the one
    ///     before, by the first who finds out; once for each record.
    /// - Complexity: O(*fields*) the first time.
    public func state<M: Model>(of type: M.Type, telling tell: (ModelProblem) -> Void = { _ in }) -> ModelState<M> {
        kept(ModelState<M>.self) ?? make(type, tell)
    }

    private func make<M: Model>(_ type: M.Type, _ tell: (ModelProblem) -> Void) -> ModelState<M> {
        let last = carried(ModelState<M>.self)?.model
        let (state, problem): (ModelState<M>, ModelProblem?)
        do throws(ModelProblem) {
            let model = try M(self)
            (state, problem) = (.current(model), last.flatMap { changedConstants(from: $0, to: model) })
        } catch {
            (state, problem) = (last.map { .outdated($0, error) } ?? .incomplete(error), error)
        }
        // Carried as `current`: that it is not the newest any more is for the next record to say.
        if let other = keep(state, carry: { $0.model.map { .current($0) } }) { return other }
        if let problem { tell(problem) }
        return state
    }

    /// The constant fields that have another value than before: somebody has written them who did not know of the
    /// first one, or that they are constant.
    private func changedConstants<M: Model>(from old: M, to new: M) -> ModelProblem? {
        let problems = M.properties.compactMap { property -> FieldProblem? in
            // What was nil before may take its value.
            guard property.isConstant, !isNil(old[keyPath: property.keyPath]),
                let before = old[keyPath: property.keyPath] as? AnyHashable,
                new.isEqual(to: old, at: property.keyPath) == false
            else { return nil }
            let name = property.field.text
            let fault = FieldFault(.constant, wanted: "\(before), as before", value: self[name] ?? .null)
            return FieldProblem(name, fault)
        }
        return problems.isEmpty ? nil : ModelProblem(type: M.modelType, id: id, problems)
    }

    private func isNil(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional && mirror.children.isEmpty
    }

    /// What this record tells of a model, field by field.
    /// - Returns: nil where its id is none of such a model.
    /// - Complexity: O(*fields*)
    public func partial<M: Model>(of type: M.Type) -> M.Partial? {
        M.ID(exactly: id).map { M.Partial(id: $0, record: self) }
    }
}
