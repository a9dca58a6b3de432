public import ModelCache
import ModelRecord
public import ModelTypes

/// The description of a binding to an object of the main actor, such as what a view shows. See
/// `ModelCache.bind(_:_:to:_:)`.
@MainActor
public struct MainActorBinding<M: Model, Object: AnyObject> {
    private struct Entry: BindingEntry {
        let field: FieldName?
        let property: any PartialKeyPath<M> & Sendable
        let apply: @MainActor (M, Object) -> Void
    }

    private var entries: [Entry] = []
    private var before: [@MainActor (Object, ModelChange<M>) -> Void] = []
    private var after: [@MainActor (Object, ModelChange<M>) -> Void] = []

    fileprivate init() {}

    /// Sets a property of the object to the value of a property of the model.
    public mutating func map<T>(
        _ property: any KeyPath<M, T> & Sendable, to target: ReferenceWritableKeyPath<Object, T>
    ) {
        map(property, to: target) { $0 }
    }

    /// Sets a property of the object to the converted value of a property of the model.
    public mutating func map<T, Converted>(
        _ property: any KeyPath<M, T> & Sendable, to target: ReferenceWritableKeyPath<Object, Converted>,
        by convert: @escaping @MainActor (T) -> Converted
    ) {
        let field = M.property(of: property)?.field
        entries.append(Entry(field: field, property: property) { $1[keyPath: target] = convert($0[keyPath: property]) })
    }

    /// Calls `hook` before properties are set, and when the model goes, in which case none is set.
    public mutating func willChange(_ hook: @escaping @MainActor (Object, ModelChange<M>) -> Void) {
        before.append(hook)
    }

    /// Calls `hook` after properties were set, and when the model goes, in which case none was set.
    public mutating func didChange(_ hook: @escaping @MainActor (Object, ModelChange<M>) -> Void) {
        after.append(hook)
    }

    fileprivate func follow(_ change: ModelChange<M>, _ object: Object) {
        guard let concerned = change.concerned(of: entries) else { return }
        for hook in before { hook(object, change) }
        if let model = change.new {
            for entry in concerned { entry.apply(model, object) }
        }
        for hook in after { hook(object, change) }
    }
}

extension ModelCache {
    /// Lets the properties of an object follow those of a model, on the main actor. The object may be isolated to that
    /// or not be `Sendable` at all.
    ///
    /// ```swift
    /// let binding = cache.bind(User.self, id, to: card) { $0.map(\.nickName, to: \.title) }
    /// ```
    /// Otherwise it is as ``bind(_:_:to:on:_:)``: the object is not kept alive, only what has changed is set, and when
    /// the model goes all properties stay as they are.
    /// - Returns: the binding, which ends when it is cancelled or released.
    @MainActor
    public func bind<M: Model, Object: AnyObject>(
        _ type: M.Type, _ id: M.ID, to object: Object, _ describe: (inout MainActorBinding<M, Object>) -> Void
    ) -> CacheObservation {
        var binding = MainActorBinding<M, Object>()
        describe(&binding)
        return models(type, id).observeOnMainActor(for: object) { [binding] object, changes in
            for change in changes { binding.follow(change, object) }
        }
    }
}
