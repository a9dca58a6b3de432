public import ModelRecord

/// A Swift type that views the models of one type: an immutable value with an id.
///
/// The macro `@Model` of ModelcastMacros writes all of it. By hand:
///
/// ```swift
/// struct User: Model {
///     static let modelType = "User"
///     enum FieldNames {
///         static let nickName: ModelField<String> = "nick_name"
///         static let age: ModelField<Int> = "age"
///     }
///     static let properties = [ModelProperty(\User.nickName, "nick_name"), ModelProperty(\User.age, "age")]
///     let id: String
///     var nickName: String
///     var age: Int?
///
///     init(id: String, record: CellRecord) throws(FieldProblem) {
///         var reader = FieldReader(record)
///         self.id = id
///         age = try reader.read("age")
///         nickName = try reader.read("nick_name")
///     }
///
///     func write(into sink: inout some FieldSink) throws(FieldProblem) {
///         try sink.write("age", age)
///         try sink.write("nick_name", nickName)
///     }
/// }
/// ```
/// Several Swift types may view one model type, each with the fields that it needs (projections).
public protocol Model: Identifiable, Hashable, Sendable where ID: ModelID {
    /// The type for what is known of a model field by field, even where it is too little for the model.
    associatedtype Partial: PartialModel = RecordPartial<Self> where Partial.Complete == Self
    /// The names of the fields: a static ``ModelField`` for each. Key paths to these are what ``knows(_:)`` and
    /// observers of fields take. A type without names has no fields to give.
    associatedtype FieldNames = Never

    /// The name of the type on the wire; the same at every call.
    static var modelType: String { get }
    /// When a model ends that is written without a word of its end; ``Expiry/unchanged`` where the type does not say.
    static var modelExpiry: Expiry { get }
    /// The properties that stand for fields.
    static var properties: [ModelProperty<Self>] { get }
    /// Reads a model from its record; see ``FieldReader``.
    /// - Throws: ``FieldProblem`` for the first field that does not fit.
    init(id: ID, record: CellRecord) throws(FieldProblem)
    /// Writes the known fields, as they are to be published.
    /// - Throws: ``FieldProblem`` for a field that cannot be published.
    func write(into sink: inout some FieldSink) throws(FieldProblem)
    /// The optional properties that are nil because their fields are unknown. Empty for a type that does not keep track
    /// of unknown fields: such a type writes nil as null.
    var unknownFields: FieldSet { get }
    /// The fields that differ from those of another state of the model: with their values here, or `undefined` when
    /// only the other state knows them.
    /// - Throws: ``FieldProblem`` for a field that cannot be published.
    func diff(from old: Self) throws(FieldProblem) -> Fields
}

extension Model {
    /// The default: writes leave the end of a model as it is.
    public static var modelExpiry: Expiry { .unchanged }

    /// The default: the type does not keep track of unknown fields.
    public var unknownFields: FieldSet { FieldSet() }

    /// All known fields, as they are to be published.
    /// - Throws: ``FieldProblem`` for a field that cannot be published.
    public var fields: Fields {
        get throws(FieldProblem) {
            var writer = FieldWriter()
            try write(into: &writer)
            return writer.fields
        }
    }

    /// The default: all fields of both states are written and compared.
    public func diff(from old: Self) throws(FieldProblem) -> Fields { try fields.changes(since: old.fields) }

    /// A copy with changes.
    ///
    /// ```swift
    /// let older = user.with { $0.age = 31 }
    /// ```
    public func with<E>(_ change: (inout Self) throws(E) -> Void) throws(E) -> Self {
        var copy = self
        try change(&copy)
        return copy
    }

    /// Makes a model of a record of the type ``modelType``.
    /// - Throws: ``ModelProblem`` with all fields that are in the way.
    public init(_ record: CellRecord) throws(ModelProblem) {
        let text = record.id
        guard let id = ID(exactly: text) else {
            // Another spelling of an id is another text, and so another model.
            let wanted = ID(idText: text).map { "the one way to write this \(ID.self): \($0.idText)" }
            let fault = FieldFault(.form, wanted: wanted ?? "an id of type \(ID.self)", value: .text(text))
            throw ModelProblem(type: Self.modelType, id: text, [FieldProblem("id", fault)])
        }
        do {
            try self.init(id: id, record: record)
        } catch {
            throw Partial(id: id, record: record).problem(else: error)
        }
    }
}

extension Fields {
    /// The changes that turn `old` into these fields when they are merged.
    func changes(since old: Fields) -> Fields {
        var changes: Fields = [:]
        for pair in pairs where old[pair.field] != pair.value { changes[pair.field] = pair.value }
        for pair in old.pairs where self[pair.field] == nil { changes[pair.field] = .undefined }
        return changes
    }
}
