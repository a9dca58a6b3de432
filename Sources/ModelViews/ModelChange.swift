public import ModelCache
import ModelRecord
public import ModelTypes

/// A change of one model, as an observer of a Swift type is told.
///
/// Like a `Change`, it keeps alive what was told together with it. To remember a model, keep ``new`` instead.
public struct ModelChange<M: Model>: Sendable, Identifiable {
    /// The effect of a change with regard to a condition (``Models/where(_:)``). Without a condition, a model meets it
    /// by existing.
    public enum Step: Sendable, Hashable {
        /// The model did not meet the condition before, or did not exist. Now it meets it.
        case entered
        /// The model met the condition before, and still does.
        case changed
        /// The model does not meet the condition any more, or is gone.
        case left
    }

    /// The model's id.
    public let id: M.ID
    /// The effect of the change on the condition; without one, on the existence of the model.
    public let step: Step
    /// The same change as records.
    public let change: Change
    /// The number of the last commit that is part of the change.
    let commitNumber: UInt64
    private let problems: ModelProblems

    init(id: M.ID, step: Step, change: Change, commitNumber: UInt64, problems: ModelProblems) {
        (self.id, self.step, self.change, self.problems) = (id, step, change, problems)
        self.commitNumber = commitNumber
    }

    /// The newest model that could be made before the change; nil when there was none, and when ``isInitial``.
    public var old: M? { change.old?.state(of: M.self, telling: problems.tell).model }

    /// The newest model that could be made after the change; nil when there is none.
    public var new: M? { state?.model }

    /// The model after the change, or the problem of its record; nil when the model does not exist.
    public var state: ModelState<M>? {
        guard let new = change.new else { return nil }
        // Nobody may have read the former record while it was in the cache, so no model was carried over. The change
        // still holds that record.
        if let old = change.old { new.takeLastGood(of: old, M.self, telling: problems.tell) }
        return new.state(of: M.self, telling: problems.tell)
    }

    /// True when every property may have changed: the model comes or goes, or the model before or after is not that of
    /// its record.
    var isWhole: Bool {
        isInitial || step != .changed || !change.makes(M.self, problems)
    }

    /// True when this field has another value than before, or a field of this group: `change.changes(\.address.city)`.
    public func changes<Field: ObservableField>(_ field: KeyPath<M.FieldNames.Type, Field>) -> Bool {
        M.field(of: field).covers(anyOf: change.changedFields)
    }

    /// True for the state at the time of registration, which is no change.
    public var isInitial: Bool { change.isInitial }

    /// True when several changes were conflated into this one.
    public var isFolded: Bool { change.isFolded }

    /// Why the model has changed; see `Change.reason`.
    public var reason: ChangeReason { change.reason }

    /// The name of the publisher that wrote it.
    public var origin: String { change.origin }
}

extension Change {
    /// True when both the old and the new record make a model.
    func makes<M: Model>(_ type: M.Type, _ problems: ModelProblems) -> Bool {
        [old, new].allSatisfy { record in
            guard let state = record?.state(of: type, telling: problems.tell) else { return false }
            return state.problem == nil
        }
    }
}

extension ModelChange: CustomStringConvertible {
    /// The step, the id and the models before and after, for logs and the messages of tests.
    public var description: String {
        let models = [old.map { "\($0)" }, new.map { "\($0)" }].map { $0 ?? "none" }
        return "\(step) \(id.idText): \(models[0]) → \(models[1])"
    }
}
