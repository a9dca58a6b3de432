public import Dispatch
public import ModelCache
import ModelRecord
public import ModelTypes

/// What of a model goes where in an object that is bound to it; see ``ModelCache/bind(_:_:to:on:_:)``.
public struct ModelBinding<M: Model, Object: AnyObject & Sendable>: Sendable {
    private struct Entry: Sendable {
        /// Nil for a property that is computed of others.
        let field: FieldName?
        let apply: @Sendable (M, Object) -> Void
    }

    private var entries: [Entry] = []
    private var before: [@Sendable (Object, ModelChange<M>) -> Void] = []
    private var after: [@Sendable (Object, ModelChange<M>) -> Void] = []

    /// A property of the object is to have the value of one of the model.
    public mutating func map<T>(
        _ property: any KeyPath<M, T> & Sendable, to target: any ReferenceWritableKeyPath<Object, T> & Sendable
    ) {
        map(property, to: target) { $0 }
    }

    /// A property of the object is to have what `convert` makes of the value of one of the model.
    public mutating func map<T, Converted>(
        _ property: any KeyPath<M, T> & Sendable,
        to target: any ReferenceWritableKeyPath<Object, Converted> & Sendable,
        by convert: @escaping @Sendable (T) -> Converted
    ) {
        let field = M.property(of: property)?.field
        entries.append(Entry(field: field) { $1[keyPath: target] = convert($0[keyPath: property]) })
    }

    /// Calls `hook` before properties are set, and when the model goes, and none is.
    public mutating func willChange(_ hook: @escaping @Sendable (Object, ModelChange<M>) -> Void) {
        before.append(hook)
    }

    /// Calls `hook` after properties were set, and when the model goes, and none is.
    public mutating func didChange(_ hook: @escaping @Sendable (Object, ModelChange<M>) -> Void) { after.append(hook) }

    fileprivate func follow(_ change: ModelChange<M>, _ object: Object) {
        let (isWhole, changed) = (change.isWhole, change.change.changedFields)
        let concerned = entries.filter { entry in isWhole || entry.field?.covers(anyOf: changed) ?? true }
        guard !concerned.isEmpty || isWhole else { return }
        for hook in before { hook(object, change) }
        if let model = change.new {
            for entry in concerned { entry.apply(model, object) }
        }
        for hook in after { hook(object, change) }
    }
}

extension ModelCache {
    /// Lets the properties of an object, of any class, follow those of a model.
    ///
    /// ```swift
    /// let binding = cache.bind(User.self, id, to: card, on: .main) {
    ///     $0.map(\.nickName, to: \.title)
    ///     $0.map(\.age, to: \.subtitle) { $0.map { "\($0) years" } ?? "" }
    /// }
    /// ```
    /// The object is not kept alive, and keeps nothing alive; any number of bindings may set properties of it, each of
    /// which ends alone. Only properties whose field has changed are set. Where the model goes they stay as they are.
    /// - Parameter queue: where the object's properties are set.
    /// - Returns: the binding, which ends when it is cancelled or released.
    public func bind<M: Model, Object: AnyObject & Sendable>(
        _ type: M.Type, _ id: M.ID, to object: Object, on queue: DispatchQueue,
        _ describe: (inout ModelBinding<M, Object>) -> Void
    ) -> CacheObservation {
        var binding = ModelBinding<M, Object>()
        describe(&binding)
        return models(type, id).observe(on: queue) { [weak object, binding] changes in
            guard let object else { return }
            for change in changes { binding.follow(change, object) }
        }
    }
}
