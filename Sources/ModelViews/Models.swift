public import Dispatch
public import ModelCache
import ModelRecord
public import ModelTypes

/// The models of a Swift type, or some of them, to observe.
///
/// ```swift
/// let adults = subscriber.models(User.self).where { ($0.age ?? 0) > 17 }
/// let observation = adults.changes(of: \.nickName).observe(on: queue) { changes in
///     for change in changes { print(change.step, change.new?.nickName ?? "gone") }
/// }
/// ```
/// The value itself costs nothing: work begins when it is observed. `ModelCache.observe(_:evictions:on:_:)` has the
/// contract of what is told, and when. Changes that a condition excludes are not told, and a set of changes without any
/// that is left causes no call.
public struct Models<M: Model>: Sendable {
    let cache: ModelCache
    private let interest: Interest
    /// The fields whose changes are told; nil for all.
    private var fields: Set<FieldName>?
    private var condition: (@Sendable (M) -> Bool)?
    /// The origin whose own changes are not told.
    private var silentOrigin: String?
    /// Models that leave a copy for its limits are told.
    private var evictions = false

    init(_ cache: ModelCache, _ interest: Interest) { (self.cache, self.interest) = (cache, interest) }

    /// Narrows to changes of these fields: `changes(of: \.nickName, \.address.city)`. Always told are that a model
    /// comes or goes, enters or leaves, and that its record makes a model now or no longer does.
    ///
    /// Of a nested struct either all is given, `\.address`, or single fields. Several calls narrow further.
    public func changes<First: ObservableField, each Other: ObservableField>(
        of first: KeyPath<M.FieldNames.Type, First>, _ others: repeat KeyPath<M.FieldNames.Type, each Other>
    ) -> Models {
        var names: Set = [M.field(of: first)]
        for other in repeat each others { names.insert(M.field(of: other)) }
        var narrowed = self
        narrowed.fields = fields.map { $0.common(with: names) } ?? names
        return narrowed
    }

    /// Narrows to models that meet a condition. Told are that a model meets it (``ModelChange/Step/entered``), changes
    /// while it does, and no longer does (``ModelChange/Step/left``). A record that makes no model meets no condition.
    /// - Parameter condition: called on the observer's queue; must give the same result for the same model.
    public func `where`(_ condition: @escaping @Sendable (M) -> Bool) -> Models {
        var narrowed = self
        if let first = self.condition {
            narrowed.condition = { first($0) && condition($0) }
        } else {
            narrowed.condition = condition
        }
        return narrowed
    }

    /// Leaves out changes that `origin` made alone, for a process that observes what it publishes itself.
    ///
    /// A change is told when another publisher wrote one of the fields that changed. The state at the beginning is
    /// told, whoever wrote it.
    public func without(origin: String) -> Models {
        var narrowed = self
        narrowed.silentOrigin = origin
        return narrowed
    }

    /// Adds the models that leave a copy for its limits: they are told as ``ModelChange/Step/left``, with the reason
    /// `evicted`. No model that is observed by its id leaves.
    public func withEvictions() -> Models {
        var widened = self
        widened.evictions = true
        return widened
    }

    /// Tells `handler`, on `queue`, the current state and every later change.
    /// - Returns: the observation, which ends when it is cancelled or released.
    public func observe(
        on queue: DispatchQueue, _ handler: @escaping @Sendable ([ModelChange<M>]) -> Void
    ) -> CacheObservation {
        cache.observe(interest, evictions: evictions, on: queue) { set in
            let changes = self.changes(in: set)
            if !changes.isEmpty { handler(changes) }
        }
    }

    /// The current state and every later change, as a sequence for one task.
    public func stream() -> ModelChangeStream<M> {
        ModelChangeStream(models: self, changes: cache.changes(interest, evictions: evictions))
    }

    /// The changes of a set that are to be told.
    func changes(in set: ChangeSet) -> [ModelChange<M>] { set.compactMap { told($0, set.commitNumber) } }

    private func told(_ change: Change, _ commitNumber: UInt64) -> ModelChange<M>? {
        if let silentOrigin, !change.isInitial, change.isAll(of: silentOrigin), change.reason != .evicted { return nil }
        guard let id = M.ID(exactly: change.id) else {
            // The record is reported as a problem, like every record that makes no model.
            _ = change.new?.state(of: M.self, telling: cache.problems.tell)
            return nil
        }
        guard let step = step(of: change) else { return nil }
        let told = ModelChange<M>(
            id: id, step: step, change: change, commitNumber: commitNumber, problems: cache.problems)
        if let fields, !change.touches(fields), !told.isWhole { return nil }
        return told
    }

    /// The effect on the model; nil when it neither met nor meets the condition.
    private func step(of change: Change) -> ModelChange<M>.Step? {
        switch (meets(change.old), meets(change.new)) {
        case (false, true): .entered
        case (true, true): .changed
        case (true, false): .left
        case (false, false): nil
        }
    }

    private func meets(_ record: CellRecord?) -> Bool {
        guard let record else { return false }
        guard condition != nil else { return true }
        guard case .current(let model) = record.state(of: M.self, telling: cache.problems.tell) else { return false }
        return meetsCondition(model)
    }

    private func meetsCondition(_ model: M) -> Bool { condition?(model) ?? true }

    /// The newest model that could be made. With a condition, only a model of the current record that meets it.
    func admitted(_ state: ModelState<M>?) -> M? {
        guard condition != nil else { return state?.model }
        guard case .current(let model)? = state, meetsCondition(model) else { return nil }
        return model
    }
}

extension Change {
    /// True when `origin` wrote everything that changed.
    func isAll(of origin: String) -> Bool {
        guard let new else { return self.origin == origin }
        let fields = changedFields
        // A field that a replace dropped has no cell any more: the replace has the greatest version.
        return fields.allSatisfy { (new.version(of: $0)?.origin ?? self.origin) == origin }
            && (!fields.isEmpty || self.origin == origin)
    }

    /// True when one of these fields has changed, or a field of a group of that name.
    func touches(_ fields: Set<FieldName>) -> Bool {
        let changed = changedFields
        return fields.contains { $0.covers(anyOf: changed) }
    }
}

extension Set<FieldName> {
    /// The names that both sets have. Of a group and a field of it, the field.
    fileprivate func common(with others: Set<FieldName>) -> Set<FieldName> {
        let mine = filter { name in others.contains { $0.covers(name.text) } }
        return mine.union(others.filter { name in contains { $0.covers(name.text) } })
    }
}

extension ModelCache {
    /// All models of a Swift type.
    public func models<M: Model>(_ type: M.Type) -> Models<M> { Models(self, .type(M.modelType)) }

    /// The model with this id, which need not exist yet.
    public func models<M: Model>(_ type: M.Type, _ id: M.ID) -> Models<M> {
        Models(self, .model(type: M.modelType, id: id.idText))
    }
}
