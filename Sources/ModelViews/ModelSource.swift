public import ModelCache
public import ModelRecord
public import ModelTypes

/// A source of models as Swift types: a cache, a snapshot of one, a subscriber, a publisher, a relay.
///
/// ```swift
/// let name = subscriber[lastGood: User.self, id]?.nickName  // may be of an earlier record
/// let user = try subscriber.model(User.self, id)            // is of the present one, or throws
/// ```
/// A record may make no model: a field is missing or faulty. What is called `lastGood` then gives the last model that
/// could be made, which is outdated. ``model(_:_:)`` throws instead, and ``state(of:_:)`` tells the two apart. All of
/// them speak of this copy. Whether the copy has all that was published is told by `Subscriber.status`, topic by topic.
///
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

    /// The newest model that could be made, or nil when there is none. It may be outdated: if the record does not make
    /// a model, it is that of an earlier record, provided that one had been read. ``model(_:_:)`` is never outdated.
    public subscript<M: Model>(lastGood type: M.Type, id: M.ID) -> M? {
        record(of: type, id)?.model(type, telling: { problems.tell($0) })
    }

    /// The newest model that could be made of what a reference points to, like ``subscript(lastGood:_:)``.
    public subscript<M: Model>(lastGood reference: Reference<M>) -> M? { self[lastGood: M.self, reference.id] }

    /// Lends the model of ``subscript(lastGood:_:)`` to `body`, in place, without a copy.
    ///
    /// ```swift
    /// let age = subscriber.withModel(lastGood: User.self, id) { $0.age }
    /// ```
    /// - Parameters:
    ///   - type: the Swift type.
    ///   - id: the model's id.
    ///   - body: called at once, on this thread, under no lock; not called when there is no model.
    /// - Returns: the result of `body`; nil when there is no model.
    @inline(__always) @discardableResult
    public func withModel<M: Model, R, E>(
        lastGood type: M.Type, _ id: M.ID, _ body: (borrowing M) throws(E) -> R
    ) throws(E) -> R? {
        try record(of: type, id)?.withModel(type, telling: { problems.tell($0) }, body)
    }

    /// The model with this id as a Swift type, or the problem of its record; nil when the model does not exist.
    public func state<M: Model>(of type: M.Type, _ id: M.ID) -> ModelState<M>? {
        record(of: type, id)?.state(of: type, telling: problems.tell)
    }

    /// The model with this id, made of its present record; nil when it does not exist.
    /// - Throws: `ModelProblem` when the record makes no model, with all fields that are in the way.
    public func model<M: Model>(_ type: M.Type, _ id: M.ID) throws(ModelProblem) -> M? {
        try state(of: type, id)?.current.get()
    }

    /// The model with this id as far as it is known, field by field; nil when it does not exist.
    /// - Complexity: O(*fields*), each time.
    public func partial<M: Model>(of type: M.Type, _ id: M.ID) -> M.Partial? {
        record(of: type, id).map { M.Partial(id: id, record: $0) }
    }
}

extension ModelCache: ModelSource {}

extension Snapshot: ModelSource {
    public var problems: ModelProblems { cache.problems }

    /// All models of a Swift type that could be made, in no particular order, each like
    /// ``ModelSource/subscript(lastGood:_:)``. A model is made when the iteration reaches it.
    public func all<M: Model>(lastGood type: M.Type) -> some Sequence<M> {
        let problems = problems
        return records(of: M.modelType).lazy.compactMap { $0.state(of: type, telling: problems.tell).model }
    }
}
