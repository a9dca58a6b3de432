public import ModelCache
import ModelRecord
public import ModelTypes

/// What happened to one model, as an observer of a Swift type is told.
///
/// As a ``Change`` it keeps alive what was told beside it; to remember a model keep ``new``.
public struct ModelChange<M: Model>: Sendable, Identifiable {
    /// What came of a model with regard to a condition (``Models/where(_:)``).
    public enum Step: Sendable, Hashable {
        /// It did not meet the condition before, or did not exist.
        case entered
        /// It met the condition before and does so now.
        case changed
        /// It does not meet the condition any more, or is gone.
        case left
    }

    /// The model's id.
    public let id: M.ID
    /// With regard to the condition; without one: to being there.
    public let step: Step
    /// The same as records.
    public let change: Change
    /// The number of the last commit that is in it.
    let commitNumber: UInt64
    private let problems: ModelProblems

    init(id: M.ID, step: Step, change: Change, commitNumber: UInt64, problems: ModelProblems) {
        (self.id, self.step, self.change, self.problems) = (id, step, change, problems)
        self.commitNumber = commitNumber
    }

    /// The model before: the newest that could be made. Nil where there was none, and when ``isInitial``.
    public var old: M? { change.old?.state(of: M.self, telling: problems.tell).model }

    /// The model after: the newest that could be made. Nil where there is none.
    public var new: M? { state?.model }

    /// The model after, or what is in its way; nil where it does not exist.
    public var state: ModelState<M>? {
        guard let state = change.new?.state(of: M.self, telling: problems.tell) else { return nil }
        // Nobody may have read the one before when it was replaced; here it is still at hand.
        if let problem = state.problem, let old { return .outdated(old, problem) }
        return state
    }

    /// Any property may be another one: the model comes or goes, or what is readable is not, or was not, the newest.
    var isWhole: Bool {
        isInitial || step != .changed || !change.makes(M.self, problems)
    }

    /// The field that a property stands for has another value now than before.
    public func changes(_ property: PartialKeyPath<M>) -> Bool {
        M.field(of: property).covers(anyOf: change.changedFields)
    }

    /// No change: the state at the time of registration.
    public var isInitial: Bool { change.isInitial }

    /// Several changes were folded into one.
    public var isFolded: Bool { change.isFolded }

    /// The publisher that wrote it.
    public var origin: String { change.origin }
}

extension Change {
    /// Both of its records make a model.
    func makes<M: Model>(_ type: M.Type, _ problems: ModelProblems) -> Bool {
        [old, new].allSatisfy { record in
            guard let state = record?.state(of: type, telling: problems.tell) else { return false }
            return state.problem == nil
        }
    }
}
