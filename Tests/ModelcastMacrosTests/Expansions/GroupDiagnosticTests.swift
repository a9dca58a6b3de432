import Testing

/// What is told of a declaration that cannot be a group of fields.
@Suite struct `Wrong groups` {
    /// A nested struct with this property, in line 2 from column 5 on.
    private func nested(_ property: String) -> Expansion { Expansion(nestedSource(property)) }

    private func nestedSource(_ property: String) -> String { "@Nested struct Address {\n    \(property)\n}" }

    /// An enum with this case, in line 2 from column 5 on.
    private func oneOf(_ declaration: String) -> Expansion { Expansion(oneOfSource(declaration)) }

    private func oneOfSource(_ declaration: String) -> String { "@OneOf enum Contact {\n    \(declaration)\n}" }

    @Test(arguments: [("class", "a class"), ("actor", "an actor")])
    func `a type that could be a nested struct is offered to become one`(keyword: String, kind: String) {
        Expansion("@Nested \(keyword) Address {}")
            .expect(
                problems: Problem(
                    1, 9, "@Nested is for structs: a group of fields is an immutable value, not \(kind)",
                    "change '\(keyword)' to 'struct'"),
                fixed: "@Nested struct Address {}")
    }

    @Test func `the macro for the other kind of type is offered`() {
        Expansion("@Nested enum Contact {\n    case a\n}")
            .expect(
                problems: Problem(
                    1, 9, "@Nested is for structs: an enum is one of several things, which @OneOf is for",
                    "change 'Nested' to 'OneOf'"),
                fixed: "@OneOf enum Contact {\n    case a\n}")
        Expansion("@OneOf struct Address {\n    var a: Int\n}")
            .expect(
                problems: Problem(
                    1, 8, "@OneOf is for enums: a struct is all of its properties, which @Nested is for",
                    "change 'OneOf' to 'Nested'"),
                fixed: "@Nested struct Address {\n    var a: Int\n}")
    }

    @Test(arguments: [("class", "a class"), ("actor", "an actor"), ("protocol", "a protocol")])
    func `what is no enum is told so`(keyword: String, kind: String) {
        Expansion("@OneOf \(keyword) Contact {}")
            .expect(problems: Problem(1, 8, "@OneOf is for enums: one of several things is a case, not \(kind)"))
    }

    @Test(arguments: ["Nested struct", "OneOf enum"])
    func `a generic type, or one within, is told so`(kind: String) {
        let isEnum = kind == "OneOf enum"
        let member = isEnum ? "case a(Int)" : "var a: Int"
        let message = "a group of fields has one form on the wire: it cannot"
        Expansion("@\(kind) Box<T> {\n    \(member)\n}")
            .expect(
                problems: Problem(1, isEnum ? 16 : 19, "\(message) be generic; make a type for each"))
        Expansion("struct Box<T> {\n    @\(kind) Item {\n        \(member)\n    }\n}")
            .expect(
                problems: Problem(2, isEnum ? 17 : 20, "\(message) stand within a generic type; move it out"))
    }

    @Test(arguments: ["Nested private struct", "OneOf private enum", "Model private struct"])
    func `a private type within another is offered to be seen in its file`(kind: String) {
        func source(_ kind: String) -> String {
            let member = kind.hasSuffix("enum") ? "case a" : kind.hasPrefix("Model") ? "@ID let a: Int" : "var a: Int"
            return "extension Shop {\n    @\(kind) Item {\n        \(member)\n    }\n}"
        }
        Expansion(source(kind))
            .expect(
                problems: Problem(
                    2, 6 + kind.prefix { $0 != "p" }.count,
                    "a private type within another is not seen by its own extension: make it 'fileprivate'",
                    "change 'private' to 'fileprivate'"),
                fixed: source(kind.replacing("private", with: "fileprivate")))
    }

    @Test(arguments: ["ID", "Constant", "Local"])
    func `what is for models is told, and offered to be taken off`(marker: String) {
        let message = "@\(marker) is for the properties of a model: take it off here"
        nested("@\(marker) @Field(\"a\") var street: String")
            .expect(
                problems: Problem(2, 5, message, "remove @\(marker)"),
                fixed: nestedSource("@Field(\"a\") var street: String"))
        oneOf("@\(marker) case phone(String)")
            .expect(
                problems: Problem(2, 5, message, "remove @\(marker)"), fixed: oneOfSource("case phone(String)"))
    }

    @Test func `a group without fields is told to have one`() {
        Expansion("@Nested struct Address {\n    static let a = 1\n}")
            .expect(
                problems: Problem(
                    1, 16, "a group of fields without any is never known: declare a property",
                    "insert 'var <#name#>: <#Type#>'"),
                fixed: "@Nested struct Address {\n    var <#name#>: <#Type#>\n    static let a = 1\n}")
    }

    @Test func `an enum without cases is told to have one`() {
        Expansion("@OneOf enum Contact {}")
            .expect(
                problems: Problem(
                    1, 13, "an enum without cases has no value: declare a case", "insert 'case <#name#>'"),
                fixed: "@OneOf enum Contact { case <#name#> }")
    }

    @Test(arguments: [("String", "a"), ("Swift.UInt8", "a"), ("Own", "a = 1")])
    func `an enum of raw values is offered to be a field`(type: String, declaration: String) {
        Expansion("@OneOf enum Contact: \(type), Codable {\n    case \(declaration)\n}")
            .expect(
                problems: Problem(
                    1, 22, "an enum of raw values is one field: say FieldValue, and take @OneOf off",
                    "use FieldValue"),
                fixed: "enum Contact: \(type), Codable, FieldValue {\n    case \(declaration)\n}")
        Expansion("@OneOf enum Contact: \(type), FieldValue {\n    case \(declaration)\n}")
            .expect(
                problems: Problem(
                    1, 22, "an enum of raw values is one field: say FieldValue, and take @OneOf off",
                    "use FieldValue"),
                fixed: "enum Contact: \(type), FieldValue {\n    case \(declaration)\n}")
    }

    @Test func `other protocols are no raw values`() {
        Expansion("@OneOf enum Contact: Sendable, CaseIterable {\n    case a\n}").expect(parts: "case \"a\":")
    }

    @Test func `what is within a condition is told`() {
        nested("var b: Int\n    #if DEBUG\n    var a: Int\n    #endif")
            .expect(
                problems: Problem(
                    4, 5, "@Nested cannot see what is within #if: declare this property outside of it"))
        oneOf("case b\n    #if DEBUG\n    case a\n    var c: Int { 1 }\n    #endif")
            .expect(
                problems: Problem(4, 5, "@OneOf cannot see what is within #if: declare this case outside of it"))
    }

    @Test func `properties of groups are read as those of models`() {
        nested("var a = 1")
            .expect(
                problems: Problem(
                    2, 9, "@Nested reads types as they are written: say the type of this property",
                    "insert ': Int'"),
                fixed: nestedSource("var a: Int = 1"))
        nested("var (a, b): (Int, Int)")
            .expect(
                problems: Problem(
                    2, 9, "@Nested reads one name after another: declare these properties one by one"))
        nested("var a: () -> Void").expect(problems: Problem(2, 12, "a field cannot be a function; it cannot travel"))
        nested("@Field(\"b\") var a: Int; var b: Int")
            .expect(
                problems: Problem(
                    2, 33, "the field \"b\" is the property 'a' already: give one of them another name with @Field"))
        nested("@Field(\"\") var a: Int")
            .expect(
                problems: Problem(
                    2, 12, "a field needs a name: give it one, or take the argument away to use the property's own"))
        nested("var id: Int, model: Int").expect(
            parts: "static let id: ModelTypes.ModelField<FieldTypes.id> = \"id\"", "model: Int")
    }
}
