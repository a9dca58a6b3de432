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

                    private enum FieldTypes {
                        typealias text = ModelTypes.FieldOf<String>
                        typealias weight = ModelTypes.FieldOf<Int>
                        // Fields are scalars, @FieldValue, @Nested, @OneOf, arrays and maps; other types take \#
                convert:.
                        typealias children = ModelTypes.FieldOf<[ModelTypes.ElementOf<Label>]>
                        typealias on = ModelTypes.ConvertedOf<Date>
                        // Fields are scalars, @FieldValue, @Nested, @OneOf, arrays and maps; other types take \#
                convert:.
                        typealias id = ModelTypes.FieldOf<Place>
                    }

                    private enum FieldConversions {
                        static let on = ModelTypes.FieldRule.conversion(of: FieldTypes.on.self, by: .iso8601)
                    }

                    private enum FieldChecks {
                        static let weight = ModelTypes.FieldRule.validation(\#
                of: FieldTypes.weight.self, by: .range(1...9))
                    }

                    private enum FieldNames {
                        static let text: ModelTypes.ModelField<Swift.Never> = "text"
                        static let weight: ModelTypes.ModelField<Swift.Never> = "w"
                        static let children: ModelTypes.ModelField<Swift.Never> = "children"
                        static let on: ModelTypes.ModelField<Swift.Never> = "on"
                        static let id: ModelTypes.ModelField<Swift.Never> = "id"
                    }

                    public init(reading source: inout some ModelTypes.FieldSource) throws(ModelTypes.FieldProblem) {
                        self.init(
                            text: try source.state(FieldNames.text._name, as: FieldTypes.text.self)\#
                .required(FieldNames.text._name),
                            weight: try source.state(FieldNames.weight._name, as: FieldTypes.weight.self)\#
                .validated(by: FieldChecks.weight).optional(FieldNames.weight._name),
                            children: try source.state(FieldNames.children._name, as: FieldTypes.children.self)\#
                .optional(FieldNames.children._name) ?? [],
                            on: try source.state(FieldNames.on._name, by: FieldConversions.on)\#
                .required(FieldNames.on._name),
                            id: try source.state(FieldNames.id._name, as: FieldTypes.id.self)\#
                .optional(FieldNames.id._name)
                        )
                    }

                    public func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
                        sink.put("text", text as FieldTypes.text)
                        try sink.validate("w", weight, by: FieldChecks.weight)
                        sink.put("w", weight as FieldTypes.weight?)
                        sink.put("children", children as FieldTypes.children)
                        sink.put("on", on, by: FieldConversions.on)
                        sink.put("id", id as FieldTypes.id?)
                        try sink.checkProblem()
                    }
                }

                nonisolated extension Label: ModelTypes.StructuredValue, ModelTypes.FieldValue,
                    ModelTypes.ModelFieldType, Swift.Hashable, Swift.Equatable, Swift.Sendable, Swift.Codable
                {
                    public static func == (left: Self, right: Self) -> Swift.Bool {
                        if ModelTypes.FieldRule.differ(left.text as FieldTypes.text, right.text) { return false }
                        if ModelTypes.FieldRule.differ(left.weight as FieldTypes.weight?, right.weight) { return false }
                        if ModelTypes.FieldRule.differ(\#
                left.children as FieldTypes.children, right.children) { return false }
                        if ModelTypes.FieldRule.differ(left.on as FieldTypes.on, right.on) { return false }
                        if ModelTypes.FieldRule.differ(left.id as FieldTypes.id?, right.id) { return false }
                        return true
                    }

                    public func hash(into hasher: inout Swift.Hasher) {
                        hasher.combine(text as FieldTypes.text)
                        hasher.combine(weight as FieldTypes.weight?)
                        hasher.combine(children as FieldTypes.children)
                        hasher.combine(on as FieldTypes.on)
                        hasher.combine(id as FieldTypes.id?)
                    }
                }
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

    @Test(arguments: ["@FieldValue", "@Nested", "@Model"])
    func `an equality of one's own without a hash is told`(attribute: String) {
        let id = attribute == "@Model" ? "@ID let id: Int; " : ""
        let body = "    \(id)var a: Int\n    static func == (left: Self, right: Self) -> Swift.Bool { true }\n"
        Expansion("\(attribute) struct Label {\n\(body)}")
            .expect(
                problems: Problem(
                    3, 17, "an '==' of your own needs a 'hash(into:)' of your own: equal values have equal hashes"))
        Expansion("\(attribute) struct Label {\n\(body)    func hash(into hasher: inout Swift.Hasher) {}\n}")
            .expect(parts: "static func isEqualByOwn(_ left: Self, _ right: Self) -> Swift.Bool")
    }

    @Test func `an equality of one's own that the compiler would not find is told`() {
        let kind = "@OneOf enum"
        let body = "    case a(Int)\n    static func == (left: Self, right: Self) -> Swift.Bool { true }\n}"
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
