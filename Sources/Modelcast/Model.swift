public import ModelRecord

/// A Swift type that views the models of one type.
///
/// ```swift
/// struct User: Model {
///     static let modelType = "User"
///     var id: String
///     var age: Int64?
///
///     init(id: String, record: Record) { self.id = id; age = record["age"]?.intValue }
///     var fields: Fields { ["age": age.map { .int($0) } ?? .null] }
/// }
/// ```
/// Several Swift types may view one model type, each with the fields that it needs.
public protocol Model: Sendable {
    /// The name of the type on the wire.
    static var modelType: String { get }
    /// The identity within the type.
    var id: String { get }
    /// Reads a model from its record.
    /// - Throws: whatever says why this record is not such a model, for example ``MissingField``.
    init(id: String, record: Record) throws
    /// All fields, as they are to be published.
    var fields: Fields { get }
}

/// A field that a ``Model`` cannot do without is unknown, null or of another type.
public struct MissingField: Error, Hashable, Sendable, CustomStringConvertible {
    public let type: String
    public let id: String
    public let field: String

    public init(type: String, id: String, field: String) {
        self.type = type
        self.id = id
        self.field = field
    }

    public var description: String { "\(type) \(id) has no usable value in its field \(field)" }
}

extension Subscriber {
    /// The model with this id, or nil when it does not exist.
    /// - Throws: what the model's initialiser throws.
    /// - Complexity: decodes at every call; keep the model, not the id, in a loop.
    public func model<M: Model>(_ type: M.Type, _ id: String) throws -> M? {
        try cache[M.modelType, id].map { try M(id: id, record: $0) }
    }
}

extension Snapshot {
    /// The model with this id in this cut, or nil when it does not exist there.
    /// - Throws: what the model's initialiser throws.
    public func model<M: Model>(_ type: M.Type, _ id: String) throws -> M? {
        try self[M.modelType, id].map { try M(id: id, record: $0) }
    }
}

extension Publisher {
    /// Publishes a model whole: fields that it does not name become unknown. Only the difference travels.
    @discardableResult
    public func publish(_ model: some Model) throws(ModelcastError) -> PublishOutcome {
        try assign(Swift.type(of: model).modelType, model.id, model.fields)
    }
}
