public import ModelCache
public import ModelRecord
public import ModelTypes

/// Where models are read as Swift types: a cache, a snapshot of one, a subscriber.
///
/// ```swift
/// let user = subscriber[User.self, id]
/// ```
/// A model is made of its record at the first read and kept there; every later read, on any thread, finds it.
public protocol ModelSource {
    /// The record of a model, or nil when it does not exist.
    subscript(type: String, id: String) -> CellRecord? { get }
    /// The record of a model of a Swift type, or nil when it does not exist: as by the names of type and id.
    func record<M: Model>(of type: M.Type, _ id: M.ID) -> CellRecord?
    /// Where records are told of that a Swift type cannot be made of.
    var problems: ModelProblems { get }
}

extension ModelSource {
    /// The record of a model of a Swift type, or nil when it does not exist.
    public func record<M: Model>(of type: M.Type, _ id: M.ID) -> CellRecord? { self[M.modelType, id.idText] }

    /// The newest model that could be made, or nil where there is none: of a record that does not make one, the one
    /// before it, if that had been read. ``state(of:_:)`` tells whether it is the newest that there is.
    public subscript<M: Model>(type: M.Type, id: M.ID) -> M? {
        record(of: type, id)?.model(type, telling: { problems.tell($0) })
    }

    /// Lends the model that ``subscript(_:_:)`` has to `body`, where it is kept, and copies nothing of it.
    ///
    /// ```swift
    /// let age = subscriber.withModel(User.self, id) { $0.age }
    /// ```
    /// - Parameter body: is called at once, on this thread and under no lock; not where there is no model.
    /// - Returns: what `body` returns; nil where there is no model.
    @inline(__always) @discardableResult
    public func withModel<M: Model, R, E>(
        _ type: M.Type, _ id: M.ID, _ body: (borrowing M) throws(E) -> R
    ) throws(E) -> R? {
        try record(of: type, id)?.withModel(type, telling: { problems.tell($0) }, body)
    }

    /// The model with this id as a Swift type, or what is in its way; nil where it does not exist.
    public func state<M: Model>(of type: M.Type, _ id: M.ID) -> ModelState<M>? {
        record(of: type, id)?.state(of: type, telling: problems.tell)
    }

    /// The model with this id, or nil where it does not exist.
    /// - Throws: ``ModelProblem``, with all fields that are in the way.
    public func model<M: Model>(_ type: M.Type, _ id: M.ID) throws(ModelProblem) -> M? {
        try state(of: type, id)?.current.get()
    }

    /// What is known of the model with this id, field by field; nil where it does not exist.
    /// - Complexity: O(*fields*), each time.
    public func partial<M: Model>(of type: M.Type, _ id: M.ID) -> M.Partial? {
        record(of: type, id).map { M.Partial(id: id, record: $0) }
    }

    /// The model that a reference points to, or nil where it does not exist; as ``subscript(_:_:)``.
    public func resolve<M: Model>(_ reference: Reference<M>) -> M? { self[M.self, reference.id] }
}

extension ModelCache: ModelSource {}

extension Snapshot: ModelSource {
    public var problems: ModelProblems { cache.problems }

    /// All models of a Swift type that could be made, in no certain order: each as ``ModelSource/subscript(_:_:)`` has
    /// it. Made as they are come to.
    public func all<M: Model>(_ type: M.Type) -> some Sequence<M> {
        let problems = problems
        return records(of: M.modelType).lazy.compactMap { $0.state(of: type, telling: problems.tell).model }
    }
}
