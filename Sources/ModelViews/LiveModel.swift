public import Dispatch
public import ModelCache
import ModelRecord
public import ModelTypes
public import Observation

/// A model that follows its cache, for Swift's `Observation`: who has read a property of it is told when that changes.
///
/// ```swift
/// let user = LiveModel(User.self, id, in: subscriber.cache, on: .main)
/// withObservationTracking { show(user.nickName) } onChange: { … }
/// ```
/// A property of it is one of the model, or nil where that does not exist. Who has read the name is not told of the
/// age. `user.constants`, where the model has constant fields, is its side that never changes; the others are the side
/// to be observed.
///
/// The properties change on the queue, a serial one, all of one change together; they may be read from any thread.
@dynamicMemberLookup
public final class LiveModel<M: Model>: Observable, Identifiable, Sendable {
    /// A property that somebody has read.
    private struct Read: Sendable {
        let willSet: @Sendable (LiveModel) -> Void
        let didSet: @Sendable (LiveModel) -> Void
    }

    private struct Inside {
        var state: ModelState<M>?
        /// The properties that have been read at any time.
        var reads: [PartialKeyPath<M>: Read] = [:]
        var observation: CacheObservation?
        /// Of which commit the state is: what is told of earlier ones is old.
        var commitNumber: UInt64 = 0
    }

    /// The model's id; it need not exist.
    public let id: M.ID
    private let registrar = ObservationRegistrar()
    private let inside = Guarded(Inside())

    /// - Parameter queue: where the properties change; a serial one.
    public init(_ type: M.Type, _ id: M.ID, in cache: ModelCache, on queue: DispatchQueue) {
        self.id = id
        let observation = cache.models(type, id).observe(on: queue) { [weak self] changes in
            for change in changes { self?.follow(change) }
        }
        // Not to begin empty: the queue may be busy. What has been told meanwhile may be newer.
        let now = cache.snapshot()
        let state = now.state(of: type, id)
        inside.withLock { inside in
            if now.commitNumber > inside.commitNumber {
                (inside.state, inside.commitNumber) = (state, now.commitNumber)
            }
            inside.observation = observation
        }
    }

    /// The model, or what is in its way; nil where it does not exist.
    public var state: ModelState<M>? {
        registrar.access(self, keyPath: \.state)
        return inside.withLock { $0.state }
    }

    /// The newest model that could be made; nil where there is none.
    public var model: M? { state?.model }

    /// A property of the newest model that could be made; nil where there is none.
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

    /// A property that is computed of others may have another value; where that cannot be told, it has.
    private static func isOther(_ property: PartialKeyPath<M>, _ old: M?, _ new: M?) -> Bool {
        guard let old, let new else { return true }
        return new.isEqual(to: old, at: property) != true
    }

    private func follow(_ change: ModelChange<M>) {
        let (last, number, reads) = inside.withLock { ($0.state, $0.commitNumber, $0.reads) }
        guard change.commitNumber > number else { return }
        // The last that could be made is the one that was here, unless the model has come anew.
        var state = change.state
        if change.step != .entered, let problem = state?.problem, let model = last?.model {
            state = .outdated(model, problem)
        }
        let (newest, commitNumber) = (state, change.commitNumber)
        guard newest != last else {
            return inside.withLock { $0.commitNumber = max($0.commitNumber, commitNumber) }
        }
        // A model that comes or goes changes them all.
        let changed = change.change.changedFields
        let isWhole = change.isWhole || last?.problem != nil
        let concerned = reads.filter { property, _ in
            isWhole
                || M.property(of: property).map { $0.field.covers(anyOf: changed) }
                    ?? LiveModel.isOther(property, last?.model, state?.model)
        }.values
        registrar.willSet(self, keyPath: \.state)
        for read in concerned { read.willSet(self) }
        let late = inside.withLock { inside -> [PartialKeyPath<M>: Read] in
            // The initialiser may have set this one meanwhile, or a newer one.
            guard commitNumber > inside.commitNumber else { return [:] }
            (inside.state, inside.commitNumber) = (newest, commitNumber)
            return inside.reads
        }
        for read in concerned { read.didSet(self) }
        registrar.didSet(self, keyPath: \.state)
        // Read for the first time on another thread, while this was on its way.
        for (property, read) in late where reads[property] == nil {
            read.willSet(self)
            read.didSet(self)
        }
    }
}
