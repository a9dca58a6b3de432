import Testing

/// What is told of a declaration that cannot be a model.
@Suite struct `Wrong structs` {
    @Test(arguments: [("class", "a class"), ("actor", "an actor")])
    func `a type that could be a struct is offered to become one`(keyword: String, kind: String) {
        Expansion("@Model final \(keyword) User {}")
            .expect(
                problems: Problem(
                    1, 14, "@Model is for structs: a model is an immutable value, not \(kind)",
                    "change '\(keyword)' to 'struct'"),
                fixed: "@Model final struct User {}")
    }

    @Test(arguments: [("enum", "an enum"), ("protocol", "a protocol")])
    func `a type that could not is told so`(keyword: String, kind: String) {
        Expansion("@Model \(keyword) User {}")
            .expect(problems: Problem(1, 8, "@Model is for structs: a model is an immutable value, not \(kind)"))
    }

    @Test func `a type that is bound to the main actor is told so`() {
        let advice = "is read from every thread: take @MainActor off; what shows it can be on the actor"
        Expansion("@MainActor @Model struct User {\n    @ID let id: Int\n}")
            .expect(
                problems: Problem(1, 1, "a model \(advice)", "remove @MainActor"),
                fixed: "@Model struct User {\n    @ID let id: Int\n}")
        Expansion("@OneOf @MainActor enum Contact {\n    case nobody\n}")
            .expect(
                problems: Problem(1, 8, "a group of fields \(advice)", "remove @MainActor"),
                fixed: "@OneOf enum Contact {\n    case nobody\n}")
    }

    @Test func `two macros that exclude each other are told by each`() {
        let what = "@FieldValue and @Nested exclude each other: take one of them off"
        Expansion("@FieldValue @Nested struct Label {\n    var a: Int\n}")
            .expect(problems: Problem(1, 13, what, "remove @Nested"), Problem(1, 13, what, "remove @Nested"))
    }

    @Test func `two names of a type are told`() {
        Expansion("@Model(\"A\") struct User {\n    @ID let id: Int\n    static let modelType = \"B\"\n}")
            .expect(problems: Problem(1, 8, "two names of the type: keep that of @Model or 'modelType'"))
    }

    @Test func `a generic struct is told so`() {
        Expansion("@Model struct Box<T> {\n    @ID let id: Int\n}")
            .expect(
                problems: Problem(
                    1, 18, "a model has one form on the wire: it cannot be generic; make a type for each"))
    }

    @Test func `a struct within a generic type is told so`() {
        Expansion("struct Box<T> {\n    @Model struct Item {\n        @ID let id: Int\n    }\n}")
            .expect(
                problems: Problem(
                    2, 19, "a model has one form on the wire: it cannot stand within a generic type; move it out"))
    }

    @Test func `a struct without an id is told to have one`() {
        Expansion(
            """
            @Model
            struct User {
                var name: String
            }
            """
        )
        .expect(
            problems: Problem(
                2, 8, "a model needs an id: mark one 'let' with @ID", "insert '@ID let id: String'"),
            fixed: """
                @Model
                struct User {
                    @ID let id: String
                    var name: String
                }
                """)
        Expansion("@Model struct User {}")
            .expect(
                problems: Problem(
                    1, 15, "a model needs an id: mark one 'let' with @ID", "insert '@ID let id: String'"),
                fixed: "@Model struct User { @ID let id: String }")
    }

    @Test func `a property that is called id is offered as the id`() {
        Expansion("@Model struct User {\n    /// Who.\n    let id: Int\n}")
            .expect(
                problems: Problem(1, 15, "a model needs an id: mark one 'let' with @ID", "mark 'id' with @ID"),
                fixed: "@Model struct User {\n    /// Who.\n    @ID let id: Int\n}")
    }

    @Test func `a second id is told`() {
        Expansion(
            """
            @Model
            struct User {
                @ID let id: Int
                @ID
                let number: Int
            }
            """
        )
        .expect(
            problems: Problem(4, 5, "a model has one id: mark only one property with @ID", "remove @ID"),
            fixed: """
                @Model
                struct User {
                    @ID let id: Int
                    let number: Int
                }
                """)
    }

    @Test(arguments: ["", "1st", "Größe", "a b", String(repeating: "a", count: 65)])
    func `a name that no type has on the wire is told`(name: String) {
        Expansion("@Model(\"\(name)\") struct User {\n    @ID let id: Int\n}")
            .expect(
                problems: Problem(
                    1, 8,
                    "\"\(name)\" cannot be the name of a type: 1 to 64 of A-Z, a-z, 0-9, '_', '.' and '-', the first "
                        + "a letter or '_'; give one as @Model(\"…\")"))
    }

    @Test func `a struct's own name may be none for the wire`() {
        Expansion("@Model struct Größe {\n    @ID let id: Int\n}")
            .expect(
                problems: Problem(
                    1, 15,
                    "\"Größe\" cannot be the name of a type: 1 to 64 of A-Z, a-z, 0-9, '_', '.' and '-', the first "
                        + "a letter or '_'; give one as @Model(\"…\")"))
        Expansion("@Model(\"a.b-c_1\") struct Größe {\n    @ID let id: Int\n}").expect(parts: "\"a.b-c_1\"")
    }

    @Test(arguments: ["name", "\"a\\(b)\""])
    func `a type's name that is no plain text is told`(name: String) {
        Expansion("@Model(\(name)) struct User {\n    @ID let id: Int\n}")
            .expect(
                problems: Problem(
                    1, 8, "the name of a type is read by the macro: write it as plain text in quotes"))
    }

    @Test func `a property within a condition is told`() {
        Expansion(
            """
            @Model
            struct User {
                @ID let id: Int
                #if DEBUG
                    var name: String
                    var twice: Int { 2 }
                #endif
            }
            """
        )
        .expect(
            problems: Problem(
                5, 9, "@Model cannot see what is within #if: declare this property outside of it"))
    }

    @Test func `all that is wrong is told at once`() {
        Expansion(
            """
            @Model("a b")
            struct User<T> {
                @Constant var age: Int
                let count: Int = 1
                var names: Set<String>
                @Local @Field var seen: Bool
            }
            """
        )
        .expect(
            problems: Problem(
                2, 12, "a model has one form on the wire: it cannot be generic; make a type for each"),
            Problem(3, 15, "@Constant never changes: make it a 'let'", "change 'var' to 'let'"),
            Problem(
                4, 20,
                "'count' could never be read: a 'let' has its initial value for good; make it a 'var', or give the "
                    + "value as @Field(default:)", "change 'let' to 'var'", "give the value as @Field(default: 1)"),
            Problem(
                5, 16, "a field cannot be a set, which has no order to travel in; use an array, or convert:"),
            Problem(6, 12, "@Field and @Local exclude each other: take one of them off", "remove @Field"),
            Problem(
                6, 23, "what is @Local is not read from anywhere: give it an initial value or an optional type"),
            Problem(
                1, 8,
                "\"a b\" cannot be the name of a type: 1 to 64 of A-Z, a-z, 0-9, '_', '.' and '-', the first a letter "
                    + "or '_'; give one as @Model(\"…\")"),
            Problem(2, 8, "a model needs an id: mark one 'let' with @ID", "insert '@ID let id: String'"))
    }

    @Test(arguments: [
        ("Model", "@ID let id: Int", "field with @Field(\"…\"), the id with @ID(\"…\"),"),
        ("Nested", "var name: String", "field with @Field(\"…\")"),
    ])
    func `keys of one's own are told to have no say`(macro: String, property: String, advice: String) {
        let source = "struct User {\n    \(property)\n    enum CodingKeys: String, CodingKey { case id }\n}"
        Expansion("@\(macro)\n\(source)")
            .expect(
                problems: Problem(
                    4, 10,
                    "JSON has the names of the wire, and CodingKeys have no say: name each \(advice) and take these "
                        + "away"
                ))
    }

    @Test func `keys of one's own in an enum are told, and an alias that has the name`() {
        Expansion("@OneOf enum One {\n    case a\n    typealias CodingKeys = Never\n}")
            .expect(
                problems: Problem(
                    3, 15,
                    "JSON has the names of the wire, and CodingKeys have no say: name each case with @Field(\"…\") and "
                        + "take these away"))
    }

    @Test func `a field with the name that the id has in JSON is told`() {
        Expansion("@Model struct User {\n    @ID(\"key\") let id: Int\n    var key: Int\n}")
            .expect(
                problems: Problem(
                    3, 9,
                    "the field \"key\" is the property 'id' already: give one of them another name with @Field"))
    }

    @Test func `the name of an id in JSON is read as text`() {
        Expansion("@Model struct User {\n    @ID(name) let id: Int\n}")
            .expect(
                problems: Problem(
                    2, 9, "the name of a field is read by the macro: write it as plain text in quotes"))
    }
}
