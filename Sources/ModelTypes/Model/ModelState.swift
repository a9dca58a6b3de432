/// What a record is as a Swift type.
public enum ModelState<M: Model>: Hashable, Sendable {
    /// The model as it is.
    case current(M)
    /// The record does not make a model, but the one before did, and was read: this is that, and not the newest.
    case outdated(M, ModelProblem)
    /// The record does not make a model. What is known is in its `Partial`.
    case incomplete(ModelProblem)

    /// The newest model that could be made: look at ``problem`` whether it is the newest that there is.
    public var model: M? {
        switch self {
        case .current(let model), .outdated(let model, _): model
        case .incomplete: nil
        }
    }

    /// The model as it is, or what is in its way.
    public var current: Result<M, ModelProblem> {
        switch self {
        case .current(let model): .success(model)
        case .outdated(_, let problem), .incomplete(let problem): .failure(problem)
        }
    }

    /// Why the record does not make a model; nil where it does.
    public var problem: ModelProblem? {
        switch self {
        case .current: nil
        case .outdated(_, let problem), .incomplete(let problem): problem
        }
    }
}
