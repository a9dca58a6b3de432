import TestSupport
import Testing

/// What the compiler says of properties whose types, conversions or validations are wrong.
@Suite struct `Errors of the compiler` {
    private static let head = """
        import Foundation
        import ModelcastMacros
        struct Plain {}
        struct Odd: Hashable, Sendable {}
        enum Bare: String { case a }

        """

    /// Programs with one mistake each, and a part of what is said of it.
    static let programs: [(text: String, error: String)] = [
        ("@Model struct M { @ID let id: Int; var a: Plain; var b: Int }", "type 'Plain' does not conform"),
        ("@Model struct M { @ID let id: Int; var a: Plain? }", "type 'Plain' does not conform"),
        ("@Model struct M { @ID let id: Int; var a: Odd = Odd() }", "type 'Odd' does not conform"),
        ("@Model struct M { @ID let id: Int; @Constant let a: Odd }", "type 'Odd' does not conform"),
        ("@Model struct M { @ID let id: Int; var a: Bare }", "type 'Bare' does not conform"),
        ("@Nested struct N { var a: Plain; var b: Int }", "type 'Plain' does not conform"),
        ("@Nested struct N { var a: Odd = Odd(); var b: Int? }", "type 'Odd' does not conform"),
        ("@FieldValue struct N { var a: Plain?; var b: Int }", "type 'Plain' does not conform"),
        ("@FieldValue struct N { var a: [Odd] = []; var b: Int }", "type 'Odd' does not conform"),
        ("@Model struct M { @ID let id: Int; @Field(convert: .iso8601) var a: Int }", "'Int') and 'Date'"),
        ("@Model struct M { @ID let id: Int; @Field(convert: .iso8601) var a: Int? }", "'Int') and 'Date'"),
        ("@Nested struct N { @Field(convert: .urlText) var a: Date }", "'Date') and 'URL'"),
        ("@Model struct M { @ID let id: Int; @Field(validate: .range(1...9)) var a: String }", "'String') and 'Int'"),
        ("@Model struct M { @ID let id: Int; @Field(validate: .length(1...9)) var a: Int? }", "'Int') and 'String'"),
        ("@Model struct M { @ID let id: Int; @Field(validate: .count(1...9)) var a: String }", "counted by .length"),
        ("@Model struct M { @ID let id: Int; @Field(validate: .count(1...9)) var a: Int? }", "'Int') and '[Value]'"),
        ("@Nested struct N { @Field(validate: .pattern(\"x\")) var a: Int }", "'Int') and 'String'"),
        (
            "@Nested struct N { @Field(validate: CheckValidation<Int>(\"odd\") { $0 % 2 == 1 }) var a: String }",
            "(aka 'CheckValidation<String>')"
        ),
    ]

    @Test(arguments: programs.indices)
    func `a property of a wrong type, conversion or validation is one error`(index: Int) throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        let program = Self.programs[index]
        let errors = try compiler.errors(Self.head + program.text)
        #expect(errors.count == 1 && errors.first?.contains(program.error) == true, "\(program.text): \(errors)")
    }

    @Test(arguments: [
        ("@Field(convert: .json(Odd.self)) var a: Odd?", "only a type that is Codable"),
        ("@Field(convert: .structured(Odd.self)) var a: Odd", "only a type that is Codable"),
        ("@Field(convert: .json(Odd.self).elements) var a: [Odd]", "only a type that is Codable"),
        ("@Field(convert: .rawValue(Odd.self)) var a: Odd?", "requires that 'Odd' conform to 'RawRepresentable'"),
        ("@Field(convert: .nope) var a: Int", "has no member 'nope'"),
        ("@Field(validate: .nope(3)) var a: Int", "'nope'"),
    ])
    func `an argument that does not compile by itself is one error in its line and one in the expansion`(
        property: String, error: String
    ) throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        let errors = try compiler.errors(Self.head + "@Nested struct N { \(property) }")
        #expect(errors.count == 2 && errors.allSatisfy { $0.contains(error) }, "\(property): \(errors)")
    }

    @Test(arguments: [
        "a(Bare)", "a(Odd)", "a(Plain)", "a(x: Plain, y: Int)", "a([Odd])", "a(x: Odd, y: Int)", "a(Character)",
        "a(Range<Int>)",
    ])
    func `a payload of a wrong type is one error`(payload: String) throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        let errors = try compiler.errors(Self.head + "@OneOf enum E { case \(payload), nothing }")
        #expect(errors.count == 1 && errors.first?.contains("does not conform") == true, "\(payload): \(errors)")
    }

    @Test(arguments: ["Odd", "Plain", "Bare"])
    func `of an id of a type that cannot be one an error of its own says which can`(type: String) throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        let errors = try compiler.errors(Self.head + "@Model struct M { @ID let id: \(type); var a: Int }")
        #expect(errors.count { $0.contains("a type of your own that conforms to ModelID") } == 1, "\(errors)")
    }

    @Test func `groups and values stand in a private type as well`() throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        let text = """
            private enum Hidden {
                @Nested struct Address { var city: String; var note: String? }
                @FieldValue struct Label { var text: String }
                @OneOf enum Choice { case a(Address), b }
                @Model struct M {
                    @ID let id: Int
                    var address: Address?
                    var labels: [Label] = []
                    var choice: Choice?
                }
            }
            fileprivate struct Shown { enum Inner { @Nested struct Address { var city: String } } }
            """
        let errors = try compiler.errors("import ModelcastMacros\n" + text)
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test func `models and groups stand in a library that evolves`() throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        let text = """
            public import ModelcastMacros
            @Nested public struct Address { public var city: String; package var note: String? }
            @FieldValue public struct Label { public var text: String }
            @OneOf public enum Choice { case a(Address), b }
            @Model public struct M {
                @ID public let id: Int
                @Constant public let number: Int
                public var address: Address?
                public var labels: [Label] = []
                public var choice: Choice?
            }
            """
        let errors = try compiler.errors(
            text, flags: ["-enable-library-evolution", "-package-name", "p", "-parse-as-library"])
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test func `an id may be of a type of one's own that conforms`() throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        let own = """
            struct Key: ModelID {
                let idText: String
                init?(idText: String) { self.idText = idText }
            }
            @Model struct M { @ID let id: Key; var a: Int }
            @Model public struct P { @ID("key") public let key: Key2; public var a: Int }
            public typealias Key2 = String

            """
        let errors = try compiler.errors(Self.head + "import Modelcast\n" + own)
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test func `types that refer to each other are fields of each other`() throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        let text = """
            @FieldValue struct A { var name: String; var bs: [B] = [] }
            @FieldValue struct B { var name: String; var a: [String: A] = [:]; var more: [B]? }
            @Nested struct Section { var title: String; var nodes: [Node] = [] }
            @FieldValue struct Node { var section: Section?; var nodes: [Node] = [] }
            @OneOf enum Choice { case one(Section), list([Holder]), none }
            @FieldValue struct Holder { var choice: Choice; var node: Node? }
            @Model struct M { @ID let id: String; var a: A; var section: Section?; var holders: [Holder] = [] }
            """
        let errors = try compiler.errors(Self.head + text)
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test func `the error of a type stands beside what can be done`() throws {
        guard let compiler = CompilerRun(of: "ModelcastMacros") else { return }
        try compiler.expect(
            Self.head + "@Model struct M { @ID let id: Int; var a: Plain }",
            complaint:
                "// Fields are scalars, @FieldValue, @Nested, @OneOf, arrays and maps; other types take convert:.")
    }
}
