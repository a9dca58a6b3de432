public import Dispatch
public import ModelCache
public import ModelRecord
public import ModelTypes
public import ModelViews

extension Subscriber: ModelSource {
    /// The record of a model of a Swift type, or nil when it does not exist.
    public func record<M: Model>(of type: M.Type, _ id: M.ID) -> CellRecord? { cache.record(of: type, id) }

    /// Reports the records of which a Swift type could not be made when they were read as that type.
    public var problems: ModelProblems { cache.problems }

    /// All models of a Swift type, which can be observed.
    public func models<M: Model>(_ type: M.Type) -> Models<M> { cache.models(type) }

    /// The model with this id, which can be observed. It need not exist yet.
    public func models<M: Model>(_ type: M.Type, _ id: M.ID) -> Models<M> { cache.models(type, id) }

    /// A model that follows this copy, for Swift's `Observation`. Its properties change on `queue`, which must be
    /// serial.
    public func live<M: Model>(_ type: M.Type, _ id: M.ID, on queue: DispatchQueue) -> LiveModel<M> {
        LiveModel(type, id, in: cache, on: queue)
    }

    /// Binds properties of an object of the main actor to those of a model: `ModelCache.bind(_:_:to:_:)`.
    @MainActor
    public func bind<M: Model, Object: AnyObject>(
        _ type: M.Type, _ id: M.ID, to object: Object, _ describe: (inout MainActorBinding<M, Object>) -> Void
    ) -> CacheObservation {
        cache.bind(type, id, to: object, describe)
    }

    /// Binds properties of an object to those of a model: `ModelCache.bind(_:_:to:on:_:)`.
    public func bind<M: Model, Object: AnyObject & Sendable>(
        _ type: M.Type, _ id: M.ID, to object: Object, on queue: DispatchQueue,
        _ describe: (inout ModelBinding<M, Object>) -> Void
    ) -> CacheObservation {
        cache.bind(type, id, to: object, on: queue, describe)
    }
}
