/// A registration that lasts until it is cancelled or released.
public final class ModelProblemObservation: Sendable {
    private let problems: ModelProblems

    init(_ problems: ModelProblems) { self.problems = problems }

    deinit { cancel() }

    /// Ends the registration. A call that is under way, or on its queue already, may still run.
    public func cancel() { problems.remove(ObjectIdentifier(self)) }
}
