/// A record as a Swift type.
public enum ModelState<M: Model>: Hashable, Sendable {
    /// The record makes this model.
    case current(M)
    /// The record does not make a model. The model is the last good one of an earlier record, so it is not the newest
    /// state.
    case outdated(M, ModelProblem)
    /// The record does not make a model, and no earlier model is kept. What is known is in its `Partial`.
    case incomplete(ModelProblem)

    /// The newest model that could be made; ``problem`` is nil when it is the newest state.
    public var model: M? {
        switch self {
        case .current(let model), .outdated(let model, _): model
        case .incomplete: nil
        }
    }

    /// The model of this record, or the problem of the record.
    public var current: Result<M, ModelProblem> {
        switch self {
        case .current(let model): .success(model)
        case .outdated(_, let problem), .incomplete(let problem): .failure(problem)
        }
    }

    /// Why the record does not make a model; nil when it makes one.
    public var problem: ModelProblem? {
        switch self {
        case .current: nil
        case .outdated(_, let problem), .incomplete(let problem): problem
        }
    }
}
