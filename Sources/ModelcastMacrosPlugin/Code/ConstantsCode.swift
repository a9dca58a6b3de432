/// The code of the type with the fields that never change.
struct ConstantsCode {
    private let shape: ModelShape
    private let access: String

    init(_ shape: ModelShape) { (self.shape, access) = (shape, shape.access.ofMember) }

    private var documentation: String { "/// The fields of a ``\(shape.name)`` that never change." }

    /// The type, and the property of the model that makes a value of it.
    var members: [[String]] { [type, property] }

    private var type: [String] {
        var lines = shape.id.documentation + ["\(access)let id: \(shape.id.type.text)"]
        for constant in shape.constants {
            lines += constant.documentation
            lines.append("\(shape.access.ofPart(constant))let \(constant.name): \(constant.type.text)")
        }
        let head = "\(access)struct Constants: Swift.Identifiable, Swift.Hashable, Swift.Sendable"
        return [documentation] + .block(head, lines)
    }

    private var property: [String] {
        let arguments = ["id: \(shape.id.name)"] + shape.constants.map { "\($0.label): \($0.name)" }
        return ["/// The fields that never change."]
            + .block("\(access)var constants: Constants", .list("Constants(", arguments, ")"))
    }

    /// The function of `Partial` that makes a value of the type.
    var ofPartial: [String] {
        let arguments = ["id: id"] + shape.constants.map { "\($0.label): \($0.value(of: $0.name))" }
        return [documentation, "/// - Throws: ``FieldProblem`` for the first that is missing or faulty."]
            + .block(
                "\(access)func constants() throws(ModelTypes.FieldProblem) -> Constants",
                .list("Constants(", arguments, ")"))
    }
}
