/// The members that make an enum a group of fields: one field with the name of the case, and those of all payloads.
struct OneOfCode {
    private let shape: OneOfShape
    private let access: String

    init(_ shape: OneOfShape) { (self.shape, access) = (shape, shape.access.ofMember) }

    var members: GroupMembers {
        GroupMembers(inType: inType, inExtension: equality)
    }

    /// Written out where there are payloads of which the macro cannot tell that they are `Hashable`: where one is no
    /// type of a field, a derived conformance would be another error.
    private var equality: [[String]] {
        let access = shape.accessInExtension
        if shape.own.contains(.equality) { return [.ownEquality(access)] }
        guard !types.isEmpty else { return [] }
        let equality = [String].block(
            "\(access)static func == (left: Self, right: Self) -> Swift.Bool",
            ["switch (left, right) {"] + shape.cases.flatMap(\.comparing)
                + (shape.cases.count > 1 ? ["default: return false"] : []) + ["}", "return true"])
        let hash = [String].block(
            "\(access)func hash(into hasher: inout Swift.Hasher)",
            ["switch self {"] + shape.cases.enumerated().flatMap { $1.hashing(at: $0) } + ["}"])
        return shape.own.contains(.hash) ? [equality] : [equality, hash]
    }

    private var inType: [[String]] {
        var members = types.isEmpty ? [] : [types]
        members += [fieldNames, caseNames]
        if let form = shape.form {
            members.append(["\(access)static let jsonForm: ModelTypes.OneOfForm = \(form)"])
        }
        return members + [sourceInit, write]
    }

    /// The code of the aliases of the types of payloads, in which a type that no field has is an error. Without it the
    /// compiler of 6.3 has none for such a type that is `Hashable`, and breaks down later.
    private var types: [String] {
        let payloads = shape.cases.flatMap(\.payloads).filter { !$0.type.isSeenByAll }
        let aliases = payloads.flatMap { payload in
            [
                "// Payloads are scalars, @FieldValue, @Nested, @OneOf, arrays and maps.",
                "typealias \(payload.alias) = ModelTypes.FieldOf<\(payload.type.checked)>",
            ]
        }
        return aliases.isEmpty ? [] : .block("private enum FieldTypes", aliases)
    }

    private var caseNames: [String] {
        let names = shape.cases.map(\.wireName.literal).joined(separator: ", ")
        return ["\(access)static let caseNames: [Swift.String] = [\(names)]"]
    }

    private var fieldNames: [String] {
        let payloads = shape.cases.flatMap(\.payloads)
        return .fieldNames(["[\"\"]"] + payloads.map { .fieldNames($0.field, of: $0.typeName) }, access)
    }

    private var sourceInit: [String] {
        let cases = shape.cases.flatMap { ["case \($0.wireName.literal):"] + $0.reading.indented() }
        let unknown = ["case let other: throw ModelTypes.FieldProblem.unknownCase(other, of: Self.self)"]
        return .block(
            "\(access)init(reading source: inout some ModelTypes.FieldSource) throws(ModelTypes.FieldProblem)",
            ["switch try source.read(\"\", as: Swift.String.self) {"] + cases + unknown + ["}"])
    }

    private var write: [String] {
        .block(
            "\(access)func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem)",
            ["switch self {"] + shape.cases.flatMap { ["case \($0.pattern):"] + $0.writing.indented() } + ["}"])
    }
}

extension OneOfCase {
    /// The statement that makes this case from the fields in `source`.
    fileprivate var reading: [String] {
        if payloads.isEmpty { return ["self = .\(name.memberName)"] }
        let arguments = payloads.map { ($0.label.map { "\($0.label): " } ?? "") + $0.reading }
        if arguments.count == 1 { return ["self = .\(name.memberName)(\(arguments[0]))"] }
        return .list("self = .\(name.memberName)(", arguments, ")")
    }

    fileprivate var pattern: String {
        let variables = payloads.map { "let \($0.variable)" }.joined(separator: ", ")
        return ".\(name.memberName)" + (payloads.isEmpty ? "" : "(\(variables))")
    }

    /// The case with its payloads as constants, whose names end in this text.
    private func bound(_ end: String) -> String {
        let constants = payloads.map { "let \($0.alias)\(end)" }.joined(separator: ", ")
        return ".\(name.memberName)" + (payloads.isEmpty ? "" : "(\(constants))")
    }

    /// The statements that return false where two values of this case differ.
    fileprivate var comparing: [String] {
        let differing = payloads.map { payload in
            "if ModelTypes.FieldRule.differ(\(payload.typed), \(payload.alias)Right) { return false }"
        }
        let pattern = "case (\(bound("")), \(bound("Right"))):"
        return payloads.isEmpty ? ["\(pattern) break"] : [pattern] + differing.indented()
    }

    /// The statements that hash a value of this case.
    /// - Parameter place: that of the case.
    fileprivate func hashing(at place: Int) -> [String] {
        let values = ["\(place)"] + payloads.map(\.typed)
        return ["case \(bound("")):"] + values.map { "hasher.combine(\($0))" }.indented()
    }

    /// The statements that write this case into `sink`.
    fileprivate var writing: [String] {
        ["try sink.write(\"\", \(wireName.literal))"]
            + payloads.map { "try sink.write(\($0.field.literal), \($0.variable))" }
    }
}

extension OneOfCase.Payload {
    fileprivate var reading: String {
        let value = defaultValue.map { ", default: \($0)" } ?? ""
        return "try source.state(\(field.literal), as: \(typeName).self).required(\(field.literal)\(value))"
    }

    /// The name of the alias of the type.
    fileprivate var alias: String { "p\(number)" }

    /// The constant of this name, with the type that has an alias: one that no field has is an error there alone.
    fileprivate var typed: String { type.isSeenByAll ? alias : "\(alias) as \(typeName)" }

    /// The type, by its alias where it has one.
    fileprivate var typeName: String { type.isSeenByAll ? type.wrapped : "FieldTypes.\(alias)" }

    /// The variable that holds the payload, named differently from `sink`.
    fileprivate var variable: String {
        let name = label ?? "payload"
        return name == "sink" ? "sinkPayload" : name.variableName
    }
}
