public import ModelRecord

/// A model as far as it is known, field by field, even where that is too little for the model itself.
///
/// The macro `@Model` makes one for each model, `User.Partial`, with a ``FieldState`` for each property.
public protocol PartialModel: Identifiable, Hashable, Sendable where ID == Complete.ID {
    /// The model that it may become.
    associatedtype Complete: Model

    /// Makes the partial model of what `record` tells.
    init(id: ID, record: CellRecord)
    /// The model; see ``complete()``, which names all problems.
    /// - Throws: ``FieldProblem`` for the first field that is missing or faulty.
    func model() throws(FieldProblem) -> Complete
    /// The fields that are in the way of the model: unknown, or faulty.
    var problems: [FieldProblem] { get }
    /// Writes the known fields.
    /// - Throws: ``FieldProblem`` for a faulty field.
    func write(into sink: inout some FieldSink) throws(FieldProblem)
}

extension PartialModel {
    /// The model, if all required fields are known.
    /// - Throws: ``ModelProblem`` with all fields that are missing or faulty.
    public func complete() throws(ModelProblem) -> Complete {
        do { return try model() } catch { throw problem(else: error) }
    }

    /// The error of a model that cannot be made, with all of its problems.
    func problem(else first: FieldProblem) -> ModelProblem {
        let all = problems
        return ModelProblem(type: Complete.modelType, id: id.idText, all.isEmpty ? [first] : all)
    }

    /// The known fields, as they are to be published.
    /// - Throws: ``FieldProblem`` for a faulty field.
    public var fields: Fields {
        get throws(FieldProblem) {
            var writer = FieldWriter()
            try write(into: &writer)
            return writer.fields
        }
    }
}
