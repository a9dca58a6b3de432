import Testing

/// What the macro makes of structs that are the value of one field, as text, and what it refuses.
@Suite struct `Expansions of structs that are one value` {
    @Test func `a struct that is one value reads and writes its keys, whose names nobody else sees`() {
        Expansion(
            """
            @FieldValue
            public struct Label {
                public var text: String
                @Field("w", validate: .range(1...9)) var weight: Int?
                var children: [Self] = []
                @Field(convert: .iso8601) let on: Date
                var id: Place?
            }
            """
        )
        .expect(
            whole: #"""
                public struct Label {
                    public var text: String
                    var weight: Int?
                    var children: [Self] = []
                    let on: Date
                    var id: Place?

                    init(
                        text: String,
                        weight: Int? = nil,
                        children: [Label] = [],
                        on: Date,
                        id: Place? = nil
                    ) {
                        self.text = text
                        self.weight = weight
                        self.children = children
                        self.on = on
                        self.id = id
                    }

                    public init(
                        text: String,
                        weight: Int? = nil,
                        on: Date
                    ) {
                        self.text = text
                        self.weight = weight
                        self.children = []
                        self.on = on
                        self.id = nil
                    }

                    private enum FieldNames {
                        static let text: ModelTypes.ModelField<Never> = "text"
                        static let weight: ModelTypes.ModelField<Never> = "w"
                        static let children: ModelTypes.ModelField<Never> = "children"
                        static let on: ModelTypes.ModelField<Never> = "on"
                        static let id: ModelTypes.ModelField<Never> = "id"
                    }

                    public init(reading source: inout some ModelTypes.FieldSource) throws(ModelTypes.FieldProblem) {
                        self.init(
                            text: try source.state(FieldNames.text._name, as: String.self)\#
                .required(FieldNames.text._name),
                            weight: try source.state(FieldNames.weight._name, as: Int.self)\#
                .validated(by: .range(1...9)).optional(FieldNames.weight._name),
                            children: try source.state(FieldNames.children._name, as: [Label].self)\#
                .required(FieldNames.children._name, default: []),
                            on: try source.state(FieldNames.on._name, by: .iso8601).required(FieldNames.on._name),
                            id: try source.state(FieldNames.id._name, as: Place.self).optional(FieldNames.id._name)
                        )
                    }

                    public func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
                        try sink.write("text", text)
                        try sink.validate("w", weight, by: .range(1...9))
                        try sink.write("w", weight)
                        try sink.write("children", children)
                        try sink.write("on", on, by: .iso8601)
                        try sink.write("id", id)
                    }
                }

                nonisolated extension Label: ModelTypes.StructuredValue {}
                """#)
    }

    @Test func `what is no struct is told so, and what to do`() {
        Expansion("@FieldValue class Label {}")
            .expect(
                problems: Problem(
                    1, 13, "@FieldValue is for structs: the value of a field is an immutable value, not a class",
                    "change 'class' to 'struct'"),
                fixed: "@FieldValue struct Label {}")
        Expansion("@FieldValue enum Label: String {\n    case a\n}")
            .expect(
                problems: Problem(
                    1, 13,
                    "@FieldValue is for structs: an enum with raw values says FieldValue behind its colon, one with "
                        + "payloads is @OneOf"))
        Expansion("@FieldValue struct Label<T> {}")
            .expect(
                problems: Problem(
                    1, 25, "the value of a field has one form on the wire: it cannot be generic; make a type for each"))
    }

    @Test(arguments: [
        ("@FieldValue struct", "var a: Int"), ("@Nested struct", "var a: Int"), ("@OneOf enum", "case a(Int)"),
    ])
    func `an equality of one's own that the compiler would not find is told`(kind: String, member: String) {
        let body = "    \(member)\n    static func == (left: Self, right: Self) -> Bool { true }\n}"
        let message = "this '==' would not be used: the compiler finds it only where the type itself says Hashable"
        Expansion("\(kind) Label {\n\(body)")
            .expect(
                problems: Problem(3, 17, message, "insert ': Hashable'"),
                fixed: "\(kind) Label: Hashable {\n\(body)")
        Expansion("\(kind) Label: Codable {\n\(body)")
            .expect(
                problems: Problem(3, 17, message, "insert ', Hashable'"),
                fixed: "\(kind) Label: Codable, Hashable {\n\(body)")
        for known in ["Hashable", "Swift.Equatable", "Codable, FieldValue"] {
            Expansion("\(kind) Label: \(known) {\n\(body)").expect(parts: "static func ==")
        }
    }

    @Test func `the problems of a property are those of any`() {
        Expansion(
            "@FieldValue struct Label {\n    @Constant let a = 1\n    var b: Set<Int>\n    @Field(\"b\") var c: Int\n}"
        )
        .expect(
            problems: Problem(
                2, 5, "@Constant is for the properties of a model: take it off here", "remove @Constant"),
            Problem(
                2, 21,
                "'a' could never be read: a 'let' has its initial value for good; make it a 'var', or give "
                    + "the value as @Field(default:)", "change 'let' to 'var'"),
            Problem(
                2, 19, "@FieldValue reads types as they are written: say the type of this property",
                "insert ': Int'"),
            Problem(3, 12, "a field cannot be a set, which has no order to travel in; use an array, or convert:"),
            Problem(
                4, 12, "the key \"b\" is the property 'b' already: give one of them another name with @Field"))
    }
}
