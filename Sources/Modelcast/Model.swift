public import ModelRecord
public import ModelTypes

/// A Swift type that views the models of one type.
///
/// ```swift
/// struct User: Model {
///     static let modelType = "User"
///     var id: String
///     var age: Int?
///
///     init(id: String, record: Record) throws {
///         var reader = FieldReader(record)
///         self.id = id
///         age = try reader.read("age")
///     }
///
///     var fields: Fields {
///         get throws {
///             var writer = FieldWriter()
///             try writer.write("age", age)
///             return writer.fields
///         }
///     }
/// }
/// ```
/// Several Swift types may view one model type, each with the fields that it needs.
public protocol Model: Sendable {
    /// The name of the type on the wire.
    static var modelType: String { get }
    /// The identity within the type.
    var id: String { get }
    /// Reads a model from its record; see `FieldReader`.
    /// - Throws: whatever says why this record is not such a model; a `FieldProblem` comes out as ``ModelProblem``.
    init(id: String, record: Record) throws
    /// All fields, as they are to be published; see `FieldWriter`.
    /// - Throws: whatever says why this cannot be published.
    var fields: Fields { get throws }
}

/// A record that a Swift type cannot be made of, because of one of its fields.
public struct ModelProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type on the wire.
    public let type: String
    public let id: String
    public let problem: FieldProblem

    public init(type: String, id: String, _ problem: FieldProblem) {
        (self.type, self.id, self.problem) = (type, id, problem)
    }

    public var description: String { "\(type) \(id): \(problem)" }
}

extension Model {
    /// Makes it of a record, if there is one.
    fileprivate static func view(_ record: Record?, id: String) throws -> Self? {
        guard let record else { return nil }
        return try naming(id) { try Self(id: id, record: record) }
    }

    /// Says of which model a problem with a field is.
    fileprivate static func naming<R>(_ id: String, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let problem as FieldProblem {
            throw ModelProblem(type: modelType, id: id, problem)
        }
    }
}

extension Subscriber {
    /// The model with this id, or nil when it does not exist.
    /// - Throws: ``ModelProblem``, or what else the model's initialiser throws.
    /// - Complexity: decodes at every call; keep the model, not the id, in a loop.
    public func model<M: Model>(_ type: M.Type, _ id: String) throws -> M? {
        try M.view(cache[M.modelType, id], id: id)
    }
}

extension Snapshot {
    /// The model with this id in this cut, or nil when it does not exist there.
    /// - Throws: ``ModelProblem``, or what else the model's initialiser throws.
    public func model<M: Model>(_ type: M.Type, _ id: String) throws -> M? {
        try M.view(self[M.modelType, id], id: id)
    }
}

extension Publisher {
    /// Publishes a model whole: fields that it does not name become unknown. Only the difference travels.
    /// - Throws: ``ModelProblem``, ``ModelcastError``, or what else the model's ``Model/fields`` throw; nothing has
    ///   changed then.
    @discardableResult
    public func publish<M: Model>(_ model: M) throws -> PublishOutcome {
        try assign(M.modelType, model.id, M.naming(model.id) { try model.fields })
    }
}
