import Testing

/// What becomes of single properties.
@Suite struct `Expansions of properties` {
    @Test func `names that generated code has itself are told apart`() {
        Expansion(
            """
            @Model
            struct Message {
                @ID let id: Int
                var text: String
                var unknown: Int?
                var unread: Bool
                var source: String
                var sink: String
                var hasher: String
                var old: Int?
                var `default`: Int
            }
            """
        )
        .expect(
            parts: "private var unreadFields = ModelTypes.FieldSet()", "var unknown = unreadFields",
            "model.unreadFields.insert(1)", "if self.unknown != nil {", "try sink.write(\"unknown\", self.unknown)",
            "try sink.write(\"sink\", self.sink)",
            "} else if self.old != old.old || oldUnknown.contains(6) {",
            "hasher.combine(self.hasher)", "text.add(\"text\", self.text)",
            "self.source = source.state(FieldNames.source._name, as: String.self)",
            "static let `default`: ModelTypes.ModelField<Int> = \"default\"", "text.add(\"default\", `default`)")
    }

    @Test func `a description of one's own is kept`() {
        Expansion("@Model struct Item {\n    @ID let id: Int\n    var description: String\n}")
            .expect(
                parts: "nonisolated extension Item: ModelTypes.Model, Codable {",
                "struct Partial: ModelTypes.PartialModel, Codable {",
                without: "ModelTypes.ModelText", "CustomStringConvertible")
        Expansion("@Model struct Item {\n    @ID let id: Int\n    var description: String { \"item\" }\n}")
            .expect(
                parts: "nonisolated extension Item: ModelTypes.Model, Codable, CustomStringConvertible {",
                "ModelTypes.ModelText(\"Item.Partial\")",
                without: "ModelTypes.ModelText(\"Item\")")
    }

    @Test func `defaults stand for unknown and null, those of optional properties as well`() {
        Expansion(
            """
            @Model
            struct Page {
                @ID let id: Int
                @Field(default: Colour.red) let colour: Colour
                var link: URL? = URL(string: "a:b")
                var size: Int? = isSmall ? 1 : 2
                var title: Optional<String> = nil
                var kind: Self.Kind = Self.standard
            }
            """
        )
        .expect(
            parts: """
                    init(
                        id: Int,
                        colour: Colour = Colour.red,
                        link: URL? = URL(string: "a:b"),
                        size: Int? = isSmall ? 1 : 2,
                        title: Optional<String> = nil,
                        kind: Page.Kind = Page.standard
                    ) {
                """,
            """
                            colour: try colour.required(FieldNames.colour._name, default: Colour.red),
                            link: try link.optional(FieldNames.link._name) ?? URL(string: "a:b"),
                            size: try size.optional(FieldNames.size._name) ?? (isSmall ? 1 : 2),
                            title: try title.optional(FieldNames.title._name),
                            kind: try kind.required(FieldNames.kind._name, default: Page.standard)
            """,
            """
                    var unknown = unread
                    if title != nil {
                        unknown.remove(3)
                    }
                    return unknown
            """, "var title: ModelTypes.FieldState<String> = .unknown",
            "state(FieldNames.kind._name, as: Page.Kind.self)")
    }

    @Test func `conversion and validation stand together`() {
        Expansion(
            """
            @Model
            struct Event {
                @ID let id: Int
                @Field("at", convert: .iso8601, validate: .range(Date.distantPast...Date.now)) var time: Date?
            }
            """
        )
        .expect(
            parts:
                "time = source.state(FieldNames.time._name, by: .iso8601)"
                + ".validated(by: .range(Date.distantPast...Date.now))",
            """
                    if !unknown.contains(0) {
                        try sink.validate("at", time, by: .range(Date.distantPast...Date.now))
                        try sink.write("at", time, by: .iso8601)
                    }
            """)
    }

    @Test func `fields are read in the order of the wire`() {
        Expansion(
            """
            @Model
            struct Order {
                @ID let id: Int
                var b: Int, a: Int
                var é: Int
                @Field("zz") var first: Int
                @Field("\\\"\\u{7}\\n") var odd: Int
                static let shared = 1
                var twice: Int { a * 2 }
                var seen: Int { didSet { print(a) } }
                @Wrapped var c, d: Int
            }
            """
        )
        .expect(
            parts: """
                            self.id = id
                            a = source.state(FieldNames.a._name, as: Int.self)
                            b = source.state(FieldNames.b._name, as: Int.self)
                            c = source.state(FieldNames.c._name, as: Int.self)
                            d = source.state(FieldNames.d._name, as: Int.self)
                            first = source.state(FieldNames.first._name, as: Int.self)
                            é = source.state(FieldNames.é._name, as: Int.self)
                            odd = source.state(FieldNames.odd._name, as: Int.self)
                            seen = source.state(FieldNames.seen._name, as: Int.self)
                """, "static let odd: ModelTypes.ModelField<Int> = \"\\\"\\u{7}\\u{a}\"")
    }

    @Test func `one's own memberwise initialiser is kept`() {
        Expansion(
            """
            @Model
            struct Shout {
                @ID let id: Int
                var text: String
                @Local var count: Int = 3
                @Local var action: @Sendable () -> Void = {}

                init(id: Int, text: String, count: Int, action: @escaping @Sendable () -> Void) {}
            }
            """
        )
        .expect(parts: "count: 3,\n", "action: {}\n", without: "self.text = text")
        Expansion(
            """
            @Model
            struct Shout {
                @ID let id: Int
                @Local var action: @Sendable () -> Void = {}
                @Local var cache: Any?

                init(_ id: Int) {}
            }
            """
        )
        .expect(
            parts: "action: @escaping @Sendable () -> Void = {},\n        cache: Any? = nil\n", "self.action = action",
            without: "Names")
    }
}
