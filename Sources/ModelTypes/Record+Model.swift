public import ModelRecord

extension Record {
    /// What this record is as a Swift type. It is made once and kept on the record: from then on this costs some
    /// nanoseconds and a copy.
    /// - Parameters:
    ///   - tell: is called where the model cannot be made, by the first who finds out; once for each record.
    /// - Complexity: O(*fields*) the first time.
    public func state<M: Model>(of type: M.Type, telling tell: (ModelProblem) -> Void = { _ in }) -> ModelState<M> {
        kept(ModelState<M>.self) ?? make(type, tell)
    }

    private func make<M: Model>(_ type: M.Type, _ tell: (ModelProblem) -> Void) -> ModelState<M> {
        let state: ModelState<M>
        do throws(ModelProblem) {
            state = .current(try M(self))
        } catch {
            state = carried(ModelState<M>.self)?.model.map { .outdated($0, error) } ?? .incomplete(error)
        }
        // Carried as `current`: that it is not the newest any more is for the next record to say.
        if let other = keep(state, carry: { $0.model.map { .current($0) } }) { return other }
        if let problem = state.problem { tell(problem) }
        return state
    }

    /// What this record tells of a model, field by field.
    /// - Returns: nil where its id is none of such a model.
    /// - Complexity: O(*fields*)
    public func partial<M: Model>(of type: M.Type) -> M.Partial? {
        M.ID(exactly: id).map { M.Partial(id: $0, record: self) }
    }
}
