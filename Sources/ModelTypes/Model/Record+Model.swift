public import ModelRecord

extension CellRecord {
    /// The problem of constant fields that have another value than before. A publisher wrote them that did not know the
    /// first value, or that the field is constant.
    func changedConstants<M: Model>(from old: M, to new: M) -> ModelProblem? {
        let problems = M.properties.compactMap { property -> FieldProblem? in
            // A constant that was nil may take its value.
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

    /// A model as far as it is known, field by field.
    /// - Returns: nil when the record's id is not an id of this Swift type.
    /// - Complexity: O(*fields*)
    public func partial<M: Model>(of type: M.Type) -> M.Partial? {
        M.ID(exactly: id).map { M.Partial(id: $0, record: self) }
    }
}
