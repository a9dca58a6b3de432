public import Dispatch
public import ModelCache
import ModelRecord
public import ModelTypes
public import Observation

/// A model that follows its cache, for Swift's `Observation`: code that has read a property is told when it changes.
///
/// ```swift
/// let user = LiveModel(User.self, id, in: subscriber.cache, on: .main)
/// withObservationTracking { show(user.nickName) } onChange: { … }
/// ```
/// Each property is that of the model, or nil when there is no model. Changes are tracked for each property: code that
/// has read the name is not told of the age. `user.constants`, if the model has constant fields, has the properties
/// that never change; only the others need to be observed.
///
/// The properties of one change are set together, on the queue, which must be serial. They may be read from any thread.
@dynamicMemberLookup
public final class LiveModel<M: Model>: Observable, Identifiable, Sendable {
    /// The calls that announce a change of a property that has been read.
    private struct Read: Sendable {
        let willSet: @Sendable (LiveModel) -> Void
        let didSet: @Sendable (LiveModel) -> Void
    }

    private struct Inside {
        var state: ModelState<M>?
        /// The properties that have been read at least once.
        var reads: [PartialKeyPath<M>: Read] = [:]
        var observation: CacheObservation?
        /// The number of the commit that `state` belongs to. Changes up to it are ignored.
        var commitNumber: UInt64 = 0
    }

    /// The model's id; the model need not exist.
    public let id: M.ID
    private let registrar = ObservationRegistrar()
    private let inside = Guarded(Inside())

    /// A live model with the current state of the cache.
    /// - Parameters:
    ///   - type: the Swift type.
    ///   - id: the id of a model, which need not exist.
    ///   - cache: the copy that the model is read from.
    ///   - queue: a serial queue, on which the properties change.
    public init(_ type: M.Type, _ id: M.ID, in cache: ModelCache, on queue: DispatchQueue) {
        self.id = id
        let observation = cache.models(type, id).observe(on: queue) { [weak self] changes in
            for change in changes { self?.follow(change) }
        }
        // Read the state at once, as the queue may be busy. A change that was told meanwhile may be newer.
        let now = cache.snapshot()
        let state = now.state(of: type, id)
        inside.withLock { inside in
            if now.commitNumber > inside.commitNumber {
                (inside.state, inside.commitNumber) = (state, now.commitNumber)
            }
            inside.observation = observation
        }
    }

    /// The model, or the problem of its record; nil when the model does not exist.
    public var modelState: ModelState<M>? {
        registrar.access(self, keyPath: \.modelState)
        return inside.withLock { $0.state }
    }

    /// The newest model that could be made; nil when there is none.
    public var model: M? { modelState?.model }

    /// A property of the newest model that could be made; nil when there is no model.
    public subscript<T>(dynamicMember property: any KeyPath<M, T> & Sendable) -> T? {
        registrar.access(self, keyPath: \LiveModel<M>.[dynamicMember: property])
        let read = Read(
            willSet: { $0.registrar.willSet($0, keyPath: \LiveModel<M>.[dynamicMember: property]) },
            didSet: { $0.registrar.didSet($0, keyPath: \LiveModel<M>.[dynamicMember: property]) })
        let model = inside.withLock { inside in
            inside.reads[property] = read
            return inside.state?.model
        }
        return model?[keyPath: property]
    }

    /// A property of the newest model that could be made that may be nil; nil as well when there is no model.
    public subscript<T>(dynamicMember property: any KeyPath<M, T?> & Sendable) -> T? {
        let value: T?? = self[dynamicMember: property]
        return value ?? nil
    }

    private func follow(_ change: ModelChange<M>) {
        let (last, number, reads) = inside.withLock { ($0.state, $0.commitNumber, $0.reads) }
        guard change.commitNumber > number else { return }
        // The last good model is the one that is held here, unless the model is a new one.
        var state = change.state
        if change.step != .entered, let problem = state?.problem, let model = last?.model {
            state = .outdated(model, problem)
        }
        let (newest, commitNumber) = (state, change.commitNumber)
        guard newest != last else {
            return inside.withLock { $0.commitNumber = max($0.commitNumber, commitNumber) }
        }
        // When a model comes or goes, every property changes.
        let changed = change.change.changedFields
        let isWhole = change.isWhole || last?.problem != nil
        let concerned = reads.filter { property, _ in
            isWhole
                || M.property(of: property).map { $0.field.covers(anyOf: changed) }
                    ?? isOther(property, last?.model, state?.model)
        }.values
        registrar.willSet(self, keyPath: \.modelState)
        for read in concerned { read.willSet(self) }
        let late = inside.withLock { inside -> [PartialKeyPath<M>: Read] in
            // The initialiser may have set this state meanwhile, or a newer one.
            guard commitNumber > inside.commitNumber else { return [:] }
            (inside.state, inside.commitNumber) = (newest, commitNumber)
            return inside.reads
        }
        for read in concerned { read.didSet(self) }
        registrar.didSet(self, keyPath: \.modelState)
        // These properties were read for the first time, on another thread, while this change was under way.
        for (property, read) in late where reads[property] == nil {
            read.willSet(self)
            read.didSet(self)
        }
    }
}
