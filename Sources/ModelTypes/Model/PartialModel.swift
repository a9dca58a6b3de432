public import ModelRecord

/// What is known of a model, field by field: it may be too little for the model itself, and is of use all the same.
///
/// The macro `@Model` makes one for each model, `User.Partial`, with a ``FieldState`` for each property.
public protocol PartialModel: Identifiable, Hashable, Sendable where ID == Complete.ID {
    /// The model that it may become.
    associatedtype Complete: Model

    /// What a record tells.
    init(id: ID, record: CellRecord)
    /// The model; see ``complete()``, which names all problems.
    /// - Throws: ``FieldProblem`` for the first field that is missing or faulty.
    func model() throws(FieldProblem) -> Complete
    /// The fields that are in the way of the model: missing, or faulty.
    var problems: [FieldProblem] { get }
    /// Writes the fields that are known.
    /// - Throws: ``FieldProblem`` for a faulty one.
    func write(into sink: inout some FieldSink) throws(FieldProblem)
}

extension PartialModel {
    /// The model, once all is known that it must have.
    /// - Throws: ``ModelProblem`` with all fields that are missing or faulty.
    public func complete() throws(ModelProblem) -> Complete {
        do { return try model() } catch { throw problem(else: error) }
    }

    /// The error of a model that cannot be made: all that is in its way.
    func problem(else first: FieldProblem) -> ModelProblem {
        let all = problems
        return ModelProblem(type: Complete.modelType, id: id.idText, all.isEmpty ? [first] : all)
    }

    /// The fields that are known, as they are to be published.
    public var fields: Fields {
        get throws(FieldProblem) {
            var writer = FieldWriter()
            try write(into: &writer)
            return writer.fields
        }
    }
}
