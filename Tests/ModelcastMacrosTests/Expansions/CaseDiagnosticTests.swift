import Testing

/// What is told of a case that cannot be one of a group of fields.
@Suite struct `Wrong cases` {
    /// An enum with this case, in line 2 from column 5 on.
    private func oneOf(_ declaration: String) -> Expansion { Expansion(source(declaration)) }

    private func source(_ declaration: String) -> String { "@OneOf enum Contact {\n    \(declaration)\n}" }

    @Test func `two cases of one name are told`() {
        oneOf("@Field(\"b\") case a\n    case b")
            .expect(
                problems: Problem(
                    3, 10, "the case \"b\" is the case 'a' already: give one of them another name with @Field"))
        oneOf("@Field(\"x\") case a, b")
            .expect(
                problems: Problem(
                    2, 12, "the case \"x\" is the case 'a' already: give one of them another name with @Field"))
    }

    @Test func `a payload with the label of the tag is told`() {
        Expansion("@OneOf(.tagged(by: \"kind\")) enum Contact {\n    case gift(kind: String, to: String)\n}")
            .expect(
                problems: Problem(
                    2, 15,
                    "in JSON 'kind' says which case it is: give the payload another label, or the tag another name"))
    }

    @Test func `names that no case has are told`() {
        oneOf("@Field(\"\") case a")
            .expect(
                problems: Problem(
                    2, 12, "a case needs a name: give it one, or take the argument away to use the case's own"))
        oneOf("@Field(\"\(String(repeating: "a", count: 129))\") case a")
            .expect(
                problems: Problem(
                    2, 12, "the name of a case has at most 128 bytes of UTF-8: give it a shorter one"))
        oneOf("@Field(name) case a")
            .expect(
                problems: Problem(
                    2, 12, "the name of a case is read by the macro: write it as plain text in quotes"))
        oneOf("@Field(\"id\") case a").expect(parts: "case \"id\":")
        oneOf("@Field(nil) case a").expect(parts: "case \"a\":")
    }

    @Test(arguments: [
        ("@Field(\"b\", convert: .x)", "@Field(\"b\")", 17, "convert"),
        ("@Field(\"b\", default: 1, validate: .y)", "@Field(\"b\")", 17, "default"),
    ])
    func `what a case has not is told, and its name is kept`(
        attribute: String, fixed: String, column: Int, label: String
    ) {
        oneOf("\(attribute) case a(Int)")
            .expect(
                problems: Problem(
                    2, column,
                    "a case has no '\(label)': @Field gives it a name only; make the payload a struct with @Nested, "
                        + "whose properties have one", "change '\(attribute)' to '\(fixed)'"),
                fixed: source("\(fixed) case a(Int)"))
    }

    @Test func `an attribute that gives no name is offered to be taken off`() {
        oneOf("@Field(validate: .y) case a(Int)")
            .expect(
                problems: Problem(
                    2, 12,
                    "a case has no 'validate': @Field gives it a name only; make the payload a struct with @Nested, "
                        + "whose properties have one", "remove @Field"),
                fixed: source("case a(Int)"))
        oneOf("@Field(\"b\") @Field(\"c\") case a")
            .expect(
                problems: Problem(2, 17, "@Field is here already: once is enough", "remove @Field"),
                fixed: source("@Field(\"b\") case a"))
    }

    @Test func `several payloads without labels are told`() {
        let message = "each of several payloads is a field: give it a label, which is the field's name"
        oneOf("case a(Int, b: Int, _ c: Int)")
            .expect(
                problems: Problem(2, 12, message, "insert '<#label#>: '"), Problem(2, 25, message, "remove '_'"),
                fixed: source("case a(<#label#>: Int, b: Int, c: Int)"))
    }

    @Test(arguments: ["Int?", "Optional<Int>"])
    func `an optional payload is told`(type: String) {
        oneOf("case a(b: \(type))")
            .expect(
                problems: Problem(
                    2, 15,
                    "the payload of a case is always there: take the '?' away, and declare a case without a payload",
                    "change '\(type)' to 'Int'"),
                fixed: source("case a(b: Int)"))
    }

    @Test(arguments: [
        ("(Int, Int)", "a tuple; make it a struct with @Nested or @FieldValue, or fields of their own"),
        ("() -> Void", "a function; it cannot travel"),
        ("Set<Int>", "a set, which has no order to travel in; use an array"),
        ("[Int: Int]", "a dictionary whose keys are not String; use String keys"),
        ("any Hashable", "a type that is known only at run time; name a concrete type, or Value for anything"),
        ("Int??", "an optional of an optional, which a field cannot tell apart; write T"),
    ])
    func `a payload that is no field is told`(type: String, message: String) {
        oneOf("case a(b: \(type))").expect(problems: Problem(2, 15, "a field cannot be \(message)"))
    }

    @Test(arguments: ["Contact", "Self"])
    func `an enum within itself is told`(type: String) {
        oneOf("indirect case a(\(type))")
            .expect(
                problems: Problem(
                    2, 21,
                    "Contact within itself would have fields without end: use a Reference to a model, or a "
                        + "FieldValue"))
    }
}
