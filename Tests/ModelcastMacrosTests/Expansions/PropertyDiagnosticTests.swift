import Testing

/// What is told of a property that cannot be one of a model.
@Suite struct `Wrong properties` {
    /// A model with an id and this property, in line 3 from column 5 on.
    private func model(_ property: String) -> Expansion {
        Expansion(source(property))
    }

    private func source(_ property: String) -> String {
        "@Model struct User {\n    @ID let id: Int\n    \(property)\n}"
    }

    @Test func `an id or a constant that may change is told`() {
        Expansion("@Model struct User {\n    @ID var id: Int\n}")
            .expect(
                problems: Problem(2, 9, "@ID never changes: make it a 'let'", "change 'var' to 'let'"),
                fixed: "@Model struct User {\n    @ID let id: Int\n}")
        model("@Constant var age: Int")
            .expect(
                problems: Problem(3, 15, "@Constant never changes: make it a 'let'", "change 'var' to 'let'"),
                fixed: source("@Constant let age: Int"))
    }

    @Test func `an id with a value is told`() {
        Expansion("@Model struct User {\n    @ID let id: Int = 1\n}")
            .expect(
                problems: Problem(
                    2, 21, "an id comes with the model: take its initial value away", "remove the initial value"),
                fixed: "@Model struct User {\n    @ID let id: Int\n}")
    }

    @Test func `an id that may be nil is told`() {
        Expansion("@Model struct User {\n    @ID let id: Int?\n}")
            .expect(
                problems: Problem(
                    2, 17, "each model has an id: its type cannot be optional", "change 'Int?' to 'Int'"),
                fixed: "@Model struct User {\n    @ID let id: Int\n}")
    }

    @Test(arguments: ["Double", "[Int]", "Date", "Int8"])
    func `an id of a type that none has is told, with those that can be`(type: String) {
        Expansion("@Model struct User {\n    @ID let id: \(type)\n}")
            .expect(
                problems: Problem(
                    2, 17,
                    "an id is text, an integer of 32 or 64 bits, a UUID, or a type of your own with one of these that "
                        + "conforms to ModelID: \(type) is none of them"))
    }

    private func fixedValue(_ column: Int, _ fixes: String...) -> Problem {
        Problem(
            3, column,
            "'age' could never be read: a 'let' has its initial value for good; make it a 'var', or give the value as "
                + "@Field(default:)", fixes)
    }

    @Test func `a let with a value is offered to become a var or to have a default`() {
        let (change, move) = ("change 'let' to 'var'", "give the value as @Field(default: 3)")
        let age = model("let age: Int = 3")
        age.expect(problems: fixedValue(18, change, move), fixed: source("var age: Int = 3"))
        age.expect(problems: fixedValue(18, change, move), fixed: source("@Field(default: 3) let age: Int"), by: [move])
        model("@Constant let age: Int = 3")
            .expect(problems: fixedValue(28, move), fixed: source("@Constant @Field(default: 3) let age: Int"))
        let named = "give the value as @Field(\"a\", default: Age.old, convert: .x)"
        model("@Field(\"a\", convert: .x) let age: Age? = .old")
            .expect(
                problems: fixedValue(44, change, named),
                fixed: source("@Field(\"a\", default: Age.old, convert: .x) let age: Age?"), by: [named])
    }

    @Test(arguments: [
        ("= true", "Bool"), ("= 1", "Int"), ("= 1.5", "Double"), ("= \"\"", "String"), ("= make()", "<#Type#>"),
    ])
    func `a property without a type is told, and a literal's is offered`(value: String, type: String) {
        model("var age \(value)")
            .expect(
                problems: Problem(
                    3, 9, "@Model reads types as they are written: say the type of this property",
                    "insert ': \(type)'"),
                fixed: source("var age: \(type) \(value)"))
    }

    @Test func `properties in a tuple are told`() {
        model("var (a, b): (Int, Int)")
            .expect(
                problems: Problem(
                    3, 9, "@Model reads one name after another: declare these properties one by one"))
    }

    @Test func `two properties for one field are told`() {
        model("@Field(\"name\") var nick: String; var name: String")
            .expect(
                problems: Problem(
                    3, 42,
                    "the field \"name\" is the property 'nick' already: give one of them another name with @Field"))
    }

    @Test func `a field that would lie within another one is told`() {
        model("var address: Address; @Field(\"address.city\") var c: String")
            .expect(
                problems: Problem(
                    3, 34,
                    "the field \"address.city\" would lie within \"address\", the field of 'address': give one of "
                        + "them another name with @Field"))
        model("@Field(\"a.b\") var c: String; var a: Nest")
            .expect(
                problems: Problem(
                    3, 38,
                    "the field \"a\" would hold \"a.b\", the field of 'c': give one of them another name with "
                        + "@Field"))
    }

    @Test func `a lazy property is told, as nothing would carry it`() {
        model("lazy var initials: String = String(name.prefix(1))")
            .expect(
                problems: Problem(
                    3, 14,
                    "'initials' is lazy: it would be in no record, in no other process and in no comparison; compute "
                        + "it each time, or store it"))
    }

    @Test func `names that no field has are told`() {
        model("@Field(\"id\") var number: Int")
            .expect(
                problems: Problem(3, 12, "\"id\" is the name of the id: give this field another one with @Field"))
        model("@Field(\"\") var number: Int")
            .expect(
                problems: Problem(
                    3, 12, "a field needs a name: give it one, or take the argument away to use the property's own"))
        model("@Field(\"\(String(repeating: "ä", count: 65))\") var number: Int")
            .expect(
                problems: Problem(
                    3, 12, "the name of a field has at most 128 bytes of UTF-8: give it a shorter one"))
        model("@Field(\"\(String(repeating: "ä", count: 64))\") var number: Int").expect(parts: "FieldNames.number")
    }

    @Test(arguments: ["name", "\"a\\(b)\"", "\"a\" + \"b\""])
    func `a field's name that is no plain text is told`(name: String) {
        model("@Field(\(name)) var number: Int")
            .expect(
                problems: Problem(
                    3, 12, "the name of a field is read by the macro: write it as plain text in quotes"))
    }

    @Test(arguments: [".a", "a.", "a..b", "."])
    func `a name with an empty part is told`(name: String) {
        model("@Field(\"\(name)\") var number: Int")
            .expect(
                problems: Problem(
                    3, 12, "a dot separates the parts of a field's name, and none of \"\(name)\" may be empty"))
    }

    @Test func `a type within has no name of generated code`() {
        let what = "is a name of generated code: call this type otherwise"
        Expansion("@Model struct M {\n    @ID let id: Int\n    struct Partial {}\n}")
            .expect(problems: Problem(3, 12, "'Partial' \(what)"))
        Expansion("@Model struct M {\n    @ID let id: Int\n    @Constant let a: Int\n    struct Constants {}\n}")
            .expect(problems: Problem(4, 12, "'Constants' \(what)"))
        Expansion("@Model struct M {\n    @ID let id: Int\n    struct Constants {}\n}").expect(parts: "struct Partial")
        Expansion("@Nested struct N {\n    var a: Int\n    enum FieldNames {}\n}")
            .expect(problems: Problem(3, 10, "'FieldNames' \(what)"))
        Expansion("@OneOf enum E {\n    case a\n    typealias FieldTypes = Int\n}")
            .expect(problems: Problem(3, 15, "'FieldTypes' \(what)"))
    }

    @Test(arguments: ["Partial", "[Partial]?", "[String: FieldNames]"])
    func `a type that a generated one of its name hides is told`(type: String) {
        let name = type.contains("Names") ? "FieldNames" : "Partial"
        let place = type.firstRange(of: name)?.lowerBound ?? type.endIndex
        let column = 12 + type.distance(from: type.startIndex, to: place)
        let what = "is the generated type of that name here: write the module before yours, or call it otherwise"
        model("var a: \(type)").expect(problems: Problem(3, column, "'\(name)' \(what)"))
        model("var a: Mine.Partial").expect(parts: "Mine.Partial")
    }

    @Test(arguments: ["model", "problems", "constants", "unknownFields"])
    func `names that the macro needs are told`(name: String) {
        model("var \(name): Int")
            .expect(
                problems: Problem(
                    3, 9,
                    "'\(name)' is a name of generated code: call the property otherwise; its field can keep "
                        + "the name, with @Field(\"\(name)\")"))
        model("@Field(\"\(name)\") var other: Int").expect(
            parts: "static let other: ModelTypes.ModelField<FieldTypes.other> = \"\(name)\"")
    }

    @Test func `a group reserves the name of its account`() {
        Expansion("@Nested struct Place {\n    var unknownFields: Int?\n    var model: Int\n}")
            .expect(
                problems: Problem(
                    2, 9,
                    "'unknownFields' is a name of generated code: call the property otherwise; its field can keep "
                        + "the name, with @Field(\"unknownFields\")"))
    }

    @Test(arguments: [
        "`self`", "`Type`", "Partial", "Constants", "FieldNames", "FieldTypes", "FieldChecks", "FieldConversions",
    ])
    func `names that mean something else in a type are told`(name: String) {
        let plain = name.filter { $0 != "`" }
        model("var \(name): Int")
            .expect(
                problems: Problem(
                    3, 9,
                    "'\(plain)' is a name of generated code: call the property otherwise; its field can "
                        + "keep the name, with @Field(\"\(plain)\")"))
    }

    @Test func `a property that is called id beside the id is told`() {
        Expansion("@Model struct User {\n    @ID let number: Int\n    @Field(\"x\") var id: Int\n}")
            .expect(
                problems: Problem(
                    3, 12, "'id' is the model's id: mark this property with @ID, or call it otherwise"))
    }

    @Test func `two defaults are told`() {
        model("@Field(default: 1) var age: Int = 2")
            .expect(
                problems: Problem(
                    3, 21, "two defaults: keep the initial value or @Field(default:)", "remove the initial value"),
                fixed: source("@Field(default: 1) var age: Int"))
    }

    @Test(arguments: [
        ("\"x\"", "Int"), ("1", "String"), ("1.5", "Int?"), ("-1", "Bool"), ("true", "Double"), ("[]", "[String: Int]"),
        ("\"x\"", "[String]"), ("[:]", "Swift.String"),
    ])
    func `a default that is never of the property's type is told once`(value: String, type: String) {
        let wanted = type.hasSuffix("?") ? String(type.dropLast()) : type
        let what = "a default is of the property's type: \(value) is no \(wanted)"
        model("@Field(default: \(value)) let age: \(type)").expect(problems: Problem(3, 21, what))
        model("var age: \(type) = \(value)").expect(problems: Problem(3, 17 + type.count, what))
    }

    @Test(arguments: [
        ("\"x\"", "Colour"), ("\"a:b\"", "URL"), ("-1", "Double?"), ("2", "Decimal"), ("[:]", "[String: Int]"),
        ("nil", "Int?"), ("\"x\"", "String"), (".zero", "Int"), ("[1]", "[Int]"), ("\"x\"", "Character"),
    ])
    func `a default that may be of the property's type is left to the compiler`(value: String, type: String) {
        model("var age: \(type) = \(value)").expect(parts: "FieldNames.age")
    }

    @Test func `what is local and has no value is told`() {
        model("@Local var seen: Bool")
            .expect(
                problems: Problem(
                    3, 16, "what is @Local is not read from anywhere: give it an initial value or an optional type"))
    }
}
