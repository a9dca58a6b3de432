import Testing

/// What is told of attributes and types that do not fit.
@Suite struct `Wrong attributes and types` {
    /// A model with an id and this property, in line 3 from column 5 on.
    private func model(_ property: String) -> Expansion {
        Expansion(source(property))
    }

    private func source(_ property: String) -> String {
        "@Model struct User {\n    @ID let id: Int\n    \(property)\n}"
    }

    @Test(arguments: [
        ("var age: Int { 3 }", "computed"), ("var age: Int { get { 3 } set {} }", "computed"),
        ("static var age: Int = 3", "static"), ("lazy var age: Int = 3", "lazy"),
    ])
    func `an attribute on what is not stored is told`(property: String, kind: String) {
        model("@Field(\"a\") \(property)")
            .expect(
                problems: Problem(
                    3, 5, "@Field is for what is stored: take it off this \(kind) property", "remove @Field"),
                fixed: source(property))
    }

    @Test(arguments: ["ID", "Constant", "Local"])
    func `an attribute for models in a type that is none is told`(name: String) {
        let what = "@\(name) says nothing here: it is for the properties of a type with @Model"
        Expansion("struct User {\n    @\(name) let id: Int?\n}")
            .expect(problems: Problem(2, 5, "\(what): 'User' has none"))
        Expansion("extension User {\n    @\(name) var a: Int { 1 }\n}").expect(problems: Problem(2, 5, what))
    }

    @Test func `a name for what no macro reads is told`() {
        let types = "@Model, @Nested, @FieldValue or @OneOf"
        let what = "@Field says nothing here: it is for the members of a type with \(types)"
        Expansion("@Observable final class User {\n    @Field(\"a\") var age: Int = 1\n}")
            .expect(problems: Problem(2, 5, "\(what): 'User' has none"))
        Expansion("enum Kind {\n    @Field(\"a\") case b\n}")
            .expect(problems: Problem(2, 5, "\(what): 'Kind' has none"))
    }

    @Test(arguments: [("Local", "Field"), ("Local", "Constant"), ("Field", "Local"), ("Constant", "Local")])
    func `attributes that exclude each other are told`(first: String, second: String) {
        model("@\(first) @\(second) let age: Int?")
            .expect(
                problems: Problem(
                    3, 7 + first.count, "@\(second) and @\(first) exclude each other: take one of them off",
                    "remove @\(second)"),
                fixed: source("@\(first) let age: Int?"))
    }

    @Test(arguments: ["Field", "Constant", "Local"])
    func `an id that is something else as well is told`(other: String) {
        Expansion("@Model struct User {\n    @ID @\(other) let id: Int\n}")
            .expect(
                problems: Problem(
                    2, 9, "@\(other) and @ID exclude each other: take one of them off", "remove @\(other)"),
                fixed: "@Model struct User {\n    @ID let id: Int\n}")
    }

    @Test(arguments: ["Field", "Constant"])
    func `the same attribute twice is told`(name: String) {
        model("@\(name) @\(name) let age: Int")
            .expect(
                problems: Problem(3, 7 + name.count, "@\(name) is here already: once is enough", "remove @\(name)"),
                fixed: source("@\(name) let age: Int"))
    }

    @Test func `attributes of others are left alone`() {
        model("@Wrapped @Other.Field(\"x\") @available(*, deprecated) var age: Int")
            .expect(
                parts: "static let age: ModelTypes.ModelField<FieldTypes.age> = \"age\"", "@Wrapped @Other.Field(\"x\")"
            )
        model("@ModelcastMacros.Local var age: Int?").expect(parts: "age: Int? = nil", without: "Names")
    }

    @Test(arguments: [
        ("(Int, Int)", 0, "a tuple; make it a struct with @Nested or @FieldValue, or fields of their own"),
        ("[()]", 1, "a tuple; make it a struct with @Nested or @FieldValue, or fields of their own"),
        ("(() -> Void)?", 0, "a function; a property that does not travel is @Local"),
        ("@Sendable () -> Void", 0, "a function; a property that does not travel is @Local"),
        ("Any", 0, "a type that is known only at run time; name a concrete type, or Value for anything"),
        ("(any Sendable)?", 0, "a type that is known only at run time; name a concrete type, or Value for anything"),
        ("some Hashable", 0, "a type that is known only at run time; name a concrete type, or Value for anything"),
        ("A & B", 0, "a type that is known only at run time; name a concrete type, or Value for anything"),
        ("Set<Int>", 0, "a set, which has no order to travel in; use an array, or convert:"),
        ("Array<Swift.Set<Int>>", 6, "a set, which has no order to travel in; use an array, or convert:"),
        ("[String: Set<Int>]?", 9, "a set, which has no order to travel in; use an array, or convert:"),
        ("[Int: Int]", 0, "a dictionary whose keys are not String; use String keys, or convert:"),
        ("Dictionary<Int, Int>", 0, "a dictionary whose keys are not String; use String keys, or convert:"),
        ("Int??", 0, "an optional of an optional, which a field cannot tell apart; write T?"),
        ("Optional<Int>?", 0, "an optional of an optional, which a field cannot tell apart; write T?"),
    ])
    func `a type that no field has is told`(type: String, column: Int, message: String) {
        model("var age: \(type)").expect(problems: Problem(3, 14 + column, "a field cannot be \(message)"))
    }

    @Test func `an implicitly unwrapped optional is offered to become an optional`() {
        model("var age: Int!")
            .expect(
                problems: Problem(
                    3, 14, "a field cannot be an implicitly unwrapped optional; write T?", "change 'Int!' to 'Int?'"),
                fixed: source("var age: Int?"))
    }

    @Test func `a conversion makes a field of what is none`() {
        model("@Field(convert: Numbers()) var ages: Set<Int>").expect(
            parts: "var ages: ModelTypes.FieldState<FieldTypes.ages>")
        model("@Local var ages: Set<Int> = []").expect(parts: "ages: Set<Int> = []")
    }
}
