public import Dispatch
public import ModelCache
import ModelRecord
public import ModelTypes

/// The description of a binding: which property of a model sets which property of an object. See
/// `ModelCache.bind(_:_:to:on:_:)`.
public struct ModelBinding<M: Model, Object: AnyObject & Sendable>: Sendable {
    private struct Entry: BindingEntry, Sendable {
        let field: FieldName?
        let property: any PartialKeyPath<M> & Sendable
        let apply: @Sendable (M, Object) -> Void
    }

    private var entries: [Entry] = []
    private var before: [@Sendable (Object, ModelChange<M>) -> Void] = []
    private var after: [@Sendable (Object, ModelChange<M>) -> Void] = []

    /// Sets a property of the object to the value of a property of the model.
    public mutating func map<T>(
        _ property: any KeyPath<M, T> & Sendable, to target: any ReferenceWritableKeyPath<Object, T> & Sendable
    ) {
        map(property, to: target) { $0 }
    }

    /// Sets a property of the object to the converted value of a property of the model. `convert` is called on the
    /// queue.
    public mutating func map<T, Converted>(
        _ property: any KeyPath<M, T> & Sendable,
        to target: any ReferenceWritableKeyPath<Object, Converted> & Sendable,
        by convert: @escaping @Sendable (T) -> Converted
    ) {
        let field = M.property(of: property)?.field
        entries.append(Entry(field: field, property: property) { $1[keyPath: target] = convert($0[keyPath: property]) })
    }

    /// Calls `hook` before properties are set, and when the model goes, in which case none is set.
    public mutating func willChange(_ hook: @escaping @Sendable (Object, ModelChange<M>) -> Void) {
        before.append(hook)
    }

    /// Calls `hook` after properties were set, and when the model goes, in which case none was set.
    public mutating func didChange(_ hook: @escaping @Sendable (Object, ModelChange<M>) -> Void) { after.append(hook) }

    fileprivate func follow(_ change: ModelChange<M>, _ object: Object) {
        guard let concerned = change.concerned(of: entries) else { return }
        for hook in before { hook(object, change) }
        if let model = change.new {
            for entry in concerned { entry.apply(model, object) }
        }
        for hook in after { hook(object, change) }
    }
}

/// The entry of a binding for one property of a model.
protocol BindingEntry<M> {
    associatedtype M: Model
    /// The field of the property; nil for a computed one, and for one within a group.
    var field: FieldName? { get }
    /// The property.
    var property: any PartialKeyPath<M> & Sendable { get }
}

extension ModelChange {
    /// The entries of a binding whose properties the change may have changed; nil where it does not concern the
    /// binding. Where a property is no field, its values are compared.
    func concerned<Entry: BindingEntry<M>>(of entries: [Entry]) -> [Entry]? {
        let (isWhole, changed) = (isWhole, change.changedFields)
        let models = isWhole || entries.allSatisfy { $0.field != nil } ? (nil, nil) : (old, new)
        let concerned = entries.filter { entry in
            isWhole || entry.field?.covers(anyOf: changed) ?? isOther(entry.property, models.0, models.1)
        }
        return concerned.isEmpty && !isWhole ? nil : concerned
    }
}

/// True when a property may have changed: its values differ, or cannot be compared.
func isOther<M: Model>(_ property: PartialKeyPath<M>, _ old: M?, _ new: M?) -> Bool {
    guard let old, let new else { return true }
    return new.isEqual(to: old, at: property) != true
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
    /// The binding does not keep the object alive. Any number of bindings may set properties of one object, and each
    /// ends by itself. Only properties whose field has changed are set. When the model goes, all properties stay as
    /// they are.
    /// - Parameters:
    ///   - type: the Swift type.
    ///   - id: the id of a model, which need not exist.
    ///   - object: the object.
    ///   - queue: the queue on which the object's properties are set.
    ///   - describe: names the properties, and is called once, at once.
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
