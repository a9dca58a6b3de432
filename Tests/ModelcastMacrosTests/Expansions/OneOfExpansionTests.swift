import Testing

/// What the macro makes of enums, as text.
@Suite struct `Expansions of enums` {
    @Test func `an enum is the name of its case and the fields of the payloads`() {
        Expansion(
            """
            @OneOf
            enum Contact {
                case fax(String)
                @Field("at") case post(Address)
                indirect case card(number: String, month: Int = 1)
                case `default`(_ sink: Int)
                case odd(sink: Int, `in`: Int)
            }
            """
        )
        .expect(
            whole: #"""
                enum Contact {
                    case fax(String)
                    case post(Address)
                    indirect case card(number: String, month: Int = 1)
                    case `default`(_ sink: Int)
                    case odd(sink: Int, `in`: Int)

                    private enum FieldTypes {
                        // Payloads are scalars, @FieldValue, @Nested, @OneOf, arrays and maps.
                        typealias p1 = ModelTypes.FieldOf<Address>
                    }

                    static let fieldNames: [Swift.String] = [
                        [""],
                        ModelRecord.FieldName.members("fax", of: String.self),
                        ModelRecord.FieldName.members("at", of: FieldTypes.p1.self),
                        ModelRecord.FieldName.members("card.number", of: String.self),
                        ModelRecord.FieldName.members("card.month", of: Int.self),
                        ModelRecord.FieldName.members("default", of: Int.self),
                        ModelRecord.FieldName.members("odd.sink", of: Int.self),
                        ModelRecord.FieldName.members("odd.in", of: Int.self)
                    ].flatMap(\.self)

                    static let caseNames: [Swift.String] = ["fax", "at", "card", "default", "odd"]

                    init(reading source: inout some ModelTypes.FieldSource) throws(ModelTypes.FieldProblem) {
                        switch try source.read("", as: Swift.String.self) {
                        case "fax":
                            self = .fax(try source.state("fax", as: String.self).required("fax"))
                        case "at":
                            self = .post(try source.state("at", as: FieldTypes.p1.self).required("at"))
                        case "card":
                            self = .card(
                                number: try source.state("card.number", as: String.self).required("card.number"),
                                month: try source.state("card.month", as: Int.self).required("card.month", default: 1)
                            )
                        case "default":
                            self = .default(try source.state("default", as: Int.self).required("default"))
                        case "odd":
                            self = .odd(
                                sink: try source.state("odd.sink", as: Int.self).required("odd.sink"),
                                in: try source.state("odd.in", as: Int.self).required("odd.in")
                            )
                        case let other: throw ModelTypes.FieldProblem.unknownCase(other, of: Self.self)
                        }
                    }

                    func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
                        switch self {
                        case .fax(let payload):
                            try sink.write("", "fax")
                            try sink.write("fax", payload)
                        case .post(let payload):
                            try sink.write("", "at")
                            try sink.write("at", payload)
                        case .card(let number, let month):
                            try sink.write("", "card")
                            try sink.write("card.number", number)
                            try sink.write("card.month", month)
                        case .default(let payload):
                            try sink.write("", "default")
                            try sink.write("default", payload)
                        case .odd(let sinkPayload, let `in`):
                            try sink.write("", "odd")
                            try sink.write("odd.sink", sinkPayload)
                            try sink.write("odd.in", `in`)
                        }
                    }
                }

                nonisolated extension Contact: ModelTypes.FieldGroup, ModelTypes.ModelFieldType, Swift.Hashable,
                    Swift.Equatable, Swift.Sendable
                {
                    static func == (left: Self, right: Self) -> Swift.Bool {
                        switch (left, right) {
                        case (.fax(let p0), .fax(let p0Right)):
                            if ModelTypes.FieldRule.differ(p0, p0Right) { return false }
                        case (.post(let p1), .post(let p1Right)):
                            if ModelTypes.FieldRule.differ(p1 as FieldTypes.p1, p1Right) { return false }
                        case (.card(let p2, let p3), .card(let p2Right, let p3Right)):
                            if ModelTypes.FieldRule.differ(p2, p2Right) { return false }
                            if ModelTypes.FieldRule.differ(p3, p3Right) { return false }
                        case (.default(let p4), .default(let p4Right)):
                            if ModelTypes.FieldRule.differ(p4, p4Right) { return false }
                        case (.odd(let p5, let p6), .odd(let p5Right, let p6Right)):
                            if ModelTypes.FieldRule.differ(p5, p5Right) { return false }
                            if ModelTypes.FieldRule.differ(p6, p6Right) { return false }
                        default: return false
                        }
                        return true
                    }

                    func hash(into hasher: inout Swift.Hasher) {
                        switch self {
                        case .fax(let p0):
                            hasher.combine(0)
                            hasher.combine(p0)
                        case .post(let p1):
                            hasher.combine(1)
                            hasher.combine(p1 as FieldTypes.p1)
                        case .card(let p2, let p3):
                            hasher.combine(2)
                            hasher.combine(p2)
                            hasher.combine(p3)
                        case .default(let p4):
                            hasher.combine(3)
                            hasher.combine(p4)
                        case .odd(let p5, let p6):
                            hasher.combine(4)
                            hasher.combine(p5)
                            hasher.combine(p6)
                        }
                    }
                }
                """#)
    }

    @Test func `a single case is a group, too`() {
        Expansion("@OneOf enum One {\n    case only\n}")
            .expect(
                parts: "static let caseNames: [Swift.String] = [\"only\"]", "        [\"\"]\n    ].flatMap(\\.self)",
                without: "jsonForm")
    }

    @Test func `the form in JSON is taken as it is written`() {
        Expansion("@OneOf(.tagged(by: \"kind\"))\npublic enum One {\n    case only\n}")
            .expect(parts: "public static let jsonForm: ModelTypes.OneOfForm = .tagged(by: \"kind\")")
    }
}
