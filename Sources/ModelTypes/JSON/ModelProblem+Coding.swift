import ModelRecord

extension PartialModel {
    /// The model that was decoded. For generated code.
    /// - Throws: `DecodingError` with the path of the first field that is missing or faulty, all problems in its words,
    ///   and the ``ModelProblem`` as its cause. Frameworks for HTTP answer such an error with 400.
    public func complete(from decoder: any Decoder) throws -> Complete {
        do {
            return try model()
        } catch {
            throw DecodingError(problem(else: error), decoder.codingPath)
        }
    }
}

extension EncodingError {
    /// The error of a model that cannot be encoded because of a field.
    /// - Parameter path: the path of the model.
    init(_ problem: FieldProblem, of model: Any, _ path: [any CodingKey]) {
        self = .invalidValue(
            model,
            Context(
                codingPath: path + problem.codingPath, debugDescription: problem.description, underlyingError: problem))
    }
}

extension DecodingError {
    /// The error of a model that cannot be decoded.
    /// - Parameter path: the path of the model.
    fileprivate init(_ problem: ModelProblem, _ path: [any CodingKey]) {
        self = .dataCorrupted(
            Context(
                codingPath: path + (problem.problems.first?.codingPath ?? []), debugDescription: problem.description,
                underlyingError: problem))
    }

    /// The error of a model whose id is not known.
    /// - Parameters:
    ///   - type: the name of the model type.
    ///   - path: the path of the model.
    init(_ problem: FieldProblem, of type: String, _ path: [any CodingKey]) {
        self.init(ModelProblem(type: type, id: "", [problem]), path)
    }

    /// The error of a struct that cannot be decoded because of a property.
    /// - Parameter path: the path of the struct.
    init(_ problem: FieldProblem, _ path: [any CodingKey]) {
        self = .dataCorrupted(
            Context(
                codingPath: path + problem.codingPath, debugDescription: problem.description, underlyingError: problem))
    }
}

extension FieldProblem {
    /// The keys that lead to the field in JSON.
    fileprivate var codingPath: [any CodingKey] {
        FieldName.path(field, fault?.part ?? "").split(separator: ".").map { FieldCodingKey(String($0)) }
    }
}
