public import ModelRecord

extension CellRecord {
    /// The constant fields that have another value than before: somebody has written them who did not know of the
    /// first one, or that they are constant.
    func changedConstants<M: Model>(from old: M, to new: M) -> ModelProblem? {
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
