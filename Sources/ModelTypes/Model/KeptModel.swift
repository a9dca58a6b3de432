public import ModelRecord

/// What is kept on a record of a Swift type that it was read as. Not a ``ModelState``, so that the model is lent where
/// it stands.
package struct KeptModel<M: Model>: KeptOnRecord {
    /// There is a model. The first property, so that to ask for it nobody has to look into the model.
    private let hasModel: Bool
    /// The newest that could be made. The second property: see ``place(in:)``.
    let model: M?
    /// Why the record does not make a model; nil where it does.
    let problem: Problem?

    /// On the heap, as there hardly ever is one.
    indirect enum Problem: Sendable { case found(ModelProblem) }

    init(_ model: consuming M) { (hasModel, self.model, problem) = (true, model, nil) }

    /// - Parameter last: the last that could be made.
    init(_ problem: ModelProblem, last: consuming M?) {
        (hasModel, model, self.problem) = (last != nil, last, .found(problem))
    }

    /// As that of the record itself: that it is not the newest any more is for the next record to say.
    package func carried() -> KeptModel? { model.map { KeptModel($0) } }

    /// Where the model stands in a value that stands at `kept`; nil where there is none. Nothing is copied.
    @inline(__always)
    static func place(in kept: UnsafeRawPointer) -> UnsafePointer<M>? {
        guard unsafe kept.load(as: Bool.self) else { return nil }
        // Behind the Boolean, as properties stand one after the other; the optional around it begins where it does.
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
    /// What this record is as a Swift type. It is made once and kept on the record: from then on this costs some
    /// nanoseconds and a copy.
    /// - Parameters:
    ///   - tell: is called where the model cannot be made, or has another value in a constant field than the one
    ///     before, by the first who finds out; once for each record.
    /// - Complexity: O(*fields*) the first time.
    public func state<M: Model>(of type: M.Type, telling tell: (ModelProblem) -> Void = { _ in }) -> ModelState<M> {
        // The record keeps it meanwhile.
        defer { extendLifetime(self) }
        return unsafe kept(type, toCopy: true, telling: tell).assumingMemoryBound(to: KeptModel<M>.self).pointee.state
    }

    /// A copy of the newest model that could be made: see ``state(of:telling:)``.
    @inline(__always)
    package func model<M: Model>(_ type: M.Type, telling tell: (ModelProblem) -> Void) -> M? {
        defer { extendLifetime(self) }
        return unsafe KeptModel<M>.place(in: kept(type, toCopy: true, telling: tell))?.pointee
    }

    /// Lends the newest model that could be made where it stands; nil where there is none.
    @inline(__always)
    package func withModel<M: Model, R, E>(
        _ type: M.Type, telling tell: (ModelProblem) -> Void, _ body: (borrowing M) throws(E) -> R
    ) throws(E) -> R? {
        defer { extendLifetime(self) }
        guard let model = unsafe KeptModel<M>.place(in: kept(type, toCopy: false, telling: tell)) else { return nil }
        return try unsafe CellRecord.lend(model, body)
    }

    /// Generic over what cannot be copied, so that the compiler does not.
    @inline(__always)
    private static func lend<Lent: ~Copyable, R, E>(
        _ place: UnsafePointer<Lent>, _ body: (borrowing Lent) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(place.pointee)
    }

    /// Where the ``KeptModel`` stands: as long as somebody has the record.
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
