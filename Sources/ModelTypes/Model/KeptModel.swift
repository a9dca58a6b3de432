public import ModelRecord

/// The model that is kept on a record, one for each Swift type that the record was read as. Unlike ``ModelState``, it
/// lends the model in place.
package struct KeptModel<M: Model>: KeptOnRecord {
    /// True when there is a model. The first property, so that it is read without looking into the model.
    private let hasModel: Bool
    /// The newest model that could be made. The second property: see ``place(in:)``.
    let model: M?
    /// Why the record does not make a model; nil when it makes one.
    let problem: Problem?

    /// On the heap, as problems are rare.
    indirect enum Problem: Sendable { case found(ModelProblem) }

    init(_ model: consuming M) { (hasModel, self.model, problem) = (true, model, nil) }

    /// A record that does not make a model.
    /// - Parameter last: the last model that could be made.
    init(_ problem: ModelProblem, last: consuming M?) {
        (hasModel, model, self.problem) = (last != nil, last, .found(problem))
    }

    /// The model is carried over without the problem: the next record decides whether the model is the newest.
    package func carried() -> KeptModel? { model.map { KeptModel($0) } }

    /// The address of the model in a value at `kept`; nil when there is no model. Nothing is copied.
    @inline(__always)
    static func place(in kept: UnsafeRawPointer) -> UnsafePointer<M>? {
        guard unsafe kept.load(as: Bool.self) else { return nil }
        // Properties are laid out in order, so the model is behind the Boolean. An optional begins with its wrapped
        // value.
        return unsafe (kept + 1).alignedUp(for: M.self).assumingMemoryBound(to: M.self)
    }

    var state: ModelState<M> {
        guard case .found(let problem)? = problem else {
            guard let model else { preconditionFailure("neither a model nor a problem") }
            return .current(model)
        }
        return model.map { .outdated($0, problem) } ?? .incomplete(problem)
    }
}

extension CellRecord {
    /// The state of this record as a Swift type. The model is made at the first read and kept on the record; each later
    /// read costs some nanoseconds and a copy.
    /// - Parameters:
    ///   - tell: called when the model cannot be made, or when a constant field has another value than before. The
    ///     first reader calls it, once for each record, on its own thread.
    /// - Complexity: O(*fields*) the first time.
    public func state<M: Model>(of type: M.Type, telling tell: (ModelProblem) -> Void = { _ in }) -> ModelState<M> {
        // The record keeps the value alive until then.
        defer { extendLifetime(self) }
        return unsafe kept(type, toCopy: true, telling: tell).assumingMemoryBound(to: KeptModel<M>.self).pointee.state
    }

    /// A copy of the newest model that could be made; see ``state(of:telling:)``.
    @inline(__always)
    package func model<M: Model>(_ type: M.Type, telling tell: (ModelProblem) -> Void) -> M? {
        defer { extendLifetime(self) }
        return unsafe KeptModel<M>.place(in: kept(type, toCopy: true, telling: tell))?.pointee
    }

    /// Lends the newest model that could be made, in place; nil when there is none.
    @inline(__always)
    package func withModel<M: Model, R, E>(
        _ type: M.Type, telling tell: (ModelProblem) -> Void, _ body: (borrowing M) throws(E) -> R
    ) throws(E) -> R? {
        defer { extendLifetime(self) }
        guard let model = unsafe KeptModel<M>.place(in: kept(type, toCopy: false, telling: tell)) else { return nil }
        return try unsafe CellRecord.lend(model, body)
    }

    /// The type is not copyable here, so that the compiler makes no copy.
    @inline(__always)
    private static func lend<Lent: ~Copyable, R, E>(
        _ place: UnsafePointer<Lent>, _ body: (borrowing Lent) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(place.pointee)
    }

    /// The address of the ``KeptModel``; valid as long as somebody holds the record.
    @inline(__always)
    private func kept<M: Model>(
        _ type: M.Type, toCopy: Bool, telling tell: (ModelProblem) -> Void
    ) -> UnsafeRawPointer {
        unsafe kept(ObjectIdentifier(M.self), toCopy: toCopy) ?? make(type, tell)
    }

    @inline(never)
    private func make<M: Model>(_ type: M.Type, _ tell: (ModelProblem) -> Void) -> UnsafeRawPointer {
        let key = ObjectIdentifier(M.self)
        let last = unsafe carried(key)?.assumingMemoryBound(to: KeptModel<M>.self).pointee.model
        let (made, problem): (KeptModel<M>, ModelProblem?)
        do throws(ModelProblem) {
            let model = try M(self)
            problem = last.flatMap { changedConstants(from: $0, to: model) }
            made = KeptModel(model)
        } catch {
            (made, problem) = (KeptModel(error, last: last), error)
        }
        assert(MemoryLayout<KeptModel<M>>.offset(of: \.model) == MemoryLayout<M>.alignment, "see place(in:)")
        let (place, isFirst) = unsafe keep(made, key)
        if isFirst, let problem { tell(problem) }
        return unsafe place
    }
}
