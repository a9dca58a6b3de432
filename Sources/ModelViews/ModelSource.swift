public import ModelCache
public import ModelRecord
public import ModelTypes

/// A source of models as Swift types: a cache, a snapshot of one, a subscriber.
///
/// ```swift
/// let user = subscriber[User.self, id]
/// ```
/// A model is made of its record at the first read and kept on the record; every later read, on any thread, finds it
/// there.
public protocol ModelSource {
    /// The record of a model, or nil when it does not exist.
    subscript(type: String, id: String) -> CellRecord? { get }
    /// The record of a model of a Swift type, or nil when it does not exist. The same as by the names of type and id.
    func record<M: Model>(of type: M.Type, _ id: M.ID) -> CellRecord?
    /// Reports records that a Swift type cannot be made of to the observers of such problems.
    var problems: ModelProblems { get }
}

extension ModelSource {
    /// The record of a model of a Swift type, or nil when it does not exist.
    public func record<M: Model>(of type: M.Type, _ id: M.ID) -> CellRecord? { self[M.modelType, id.idText] }

    /// The newest model that could be made, or nil when there is none. If the record does not make a model, it is the
    /// last good model, provided that one had been read. ``state(of:_:)`` tells whether the model is the newest state.
    public subscript<M: Model>(type: M.Type, id: M.ID) -> M? {
        record(of: type, id)?.model(type, telling: { problems.tell($0) })
    }

    /// Lends the model of ``subscript(_:_:)`` to `body`, in place, without a copy.
    ///
    /// ```swift
    /// let age = subscriber.withModel(User.self, id) { $0.age }
    /// ```
    /// - Parameter body: called at once, on this thread, under no lock; not called when there is no model.
    /// - Returns: the result of `body`; nil when there is no model.
    @inline(__always) @discardableResult
    public func withModel<M: Model, R, E>(
        _ type: M.Type, _ id: M.ID, _ body: (borrowing M) throws(E) -> R
    ) throws(E) -> R? {
        try record(of: type, id)?.withModel(type, telling: { problems.tell($0) }, body)
    }

    /// The model with this id as a Swift type, or the problem of its record; nil when the model does not exist.
    public func state<M: Model>(of type: M.Type, _ id: M.ID) -> ModelState<M>? {
        record(of: type, id)?.state(of: type, telling: problems.tell)
    }

    /// The model with this id, or nil when it does not exist.
    /// - Throws: ``ModelProblem``, with all fields that are in the way.
    public func model<M: Model>(_ type: M.Type, _ id: M.ID) throws(ModelProblem) -> M? {
        try state(of: type, id)?.current.get()
    }

    /// What is known of the model with this id, field by field; nil when it does not exist.
    /// - Complexity: O(*fields*), each time.
    public func partial<M: Model>(of type: M.Type, _ id: M.ID) -> M.Partial? {
        record(of: type, id).map { M.Partial(id: id, record: $0) }
    }

    /// The model that a reference points to, or nil when it does not exist, like ``subscript(_:_:)``.
    public func resolve<M: Model>(_ reference: Reference<M>) -> M? { self[M.self, reference.id] }
}

extension ModelCache: ModelSource {}

extension Snapshot: ModelSource {
    public var problems: ModelProblems { cache.problems }

    /// All models of a Swift type that could be made, in no particular order, each like
    /// ``ModelSource/subscript(_:_:)``. A model is made when the iteration reaches it.
    public func all<M: Model>(_ type: M.Type) -> some Sequence<M> {
        let problems = problems
        return records(of: M.modelType).lazy.compactMap { $0.state(of: type, telling: problems.tell).model }
    }
}
