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
            "model.unreadFields.insert(1, unless: unknown.isKnown)", "unknown.remove(1, where: self.unknown)",
            "sink.put(\"unknown\", self.unknown as FieldTypes.unknown?, unless: unknown.contains(1))",
            "sink.put(\"sink\", self.sink as FieldTypes.sink)",
            "diff.compare(\"old\", self.old as FieldTypes.old?, old.old, at: 6)",
            "hasher.combine(id)", "fields: \"text\",",
            "self.source = source.state(FieldNames.source._name, as: FieldTypes.source.self)",
            "static let `default`: ModelTypes.ModelField<FieldTypes.`default`> = \"default\"",
            "unless: unknownFields,", "            \"default\"")
    }

    @Test func `a description of one's own is kept`() {
        Expansion("@Model struct Item {\n    @ID let id: Int\n    var description: String\n}")
            .expect(
                parts: "nonisolated extension Item: ModelTypes.Model, ", "    Swift.Sendable, Swift.Codable\n{",
                "struct Partial: ModelTypes.PartialModel, Swift.Codable {",
                without: "ModelTypes.ModelText", "CustomStringConvertible")
        Expansion("@Model struct Item {\n    @ID let id: Int\n    var description: Swift.String { \"item\" }\n}")
            .expect(
                parts: "Swift.Codable, Swift.CustomStringConvertible\n{",
                "ModelTypes.ModelText.of(self, \"Item.Partial\")",
                without: "\"Item\",")
    }

    @Test func `defaults stand for unknown and null, those of optional properties for unknown alone`() {
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
                            colour: colour.value ?? Colour.red,
                            link: link.ifKnown ?? URL(string: "a:b"),
                            size: size.ifKnown ?? (isSmall ? 1 : 2),
                            title: title.value,
                            kind: kind.value ?? Page.standard
            """,
            """
                    var unknown = unread
                    unknown.remove(0, where: colour as FieldTypes.colour, unlike: Colour.red)
                    unknown.remove(1, where: link as FieldTypes.link?, unlike: URL(string: "a:b"))
                    unknown.remove(2, where: size as FieldTypes.size?, unlike: isSmall ? 1 : 2)
                    unknown.remove(3, where: title)
                    unknown.remove(4, where: kind as FieldTypes.kind, unlike: Page.standard)
                    return unknown
            """, "var title: ModelTypes.FieldState<FieldTypes.title> = .unknown",
            "typealias kind = ModelTypes.FieldOf<Page.Kind>", "state(FieldNames.kind._name, as: FieldTypes.kind.self)")
    }

    @Test func `the elements of lists and maps are named alone, so that a wrong one is one error`() {
        Expansion(
            """
            @Model
            struct Pizza {
                @ID let id: Int
                var toppings: [Topping]
                var sizes: [String: [Size?]]?
                var tags: [String]
            }
            """
        )
        .expect(
            parts: "typealias toppings = ModelTypes.FieldOf<[ModelTypes.ElementOf<Topping>]>",
            "typealias sizes = ModelTypes.FieldOf<[String: [ModelTypes.ElementOf<Size>?]]>",
            "typealias tags = ModelTypes.FieldOf<[String]>")
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
                "time = source.state(FieldNames.time._name, by: FieldConversions.time)"
                + ".validated(by: FieldChecks.time)",
            "typealias time = ModelTypes.ConvertedOf<Date>",
            "static let time = ModelTypes.FieldRule.conversion(of: FieldTypes.time.self, by: .iso8601)",
            "static let time = ModelTypes.FieldRule.validation(of: FieldTypes.time.self, "
                + "by: .range(Date.distantPast...Date.now))",
            """
                    try sink.validate("at", time, by: FieldChecks.time)
                    sink.put("at", time, unless: unknown.contains(0), by: FieldConversions.time)
            """,
            """
                    if ModelTypes.FieldRule.differ(time as FieldTypes.time?, old.time) {
                        try diff.validate("at", time, by: FieldChecks.time)
                    }
                    diff.compare("at", time, old.time, at: 0, by: FieldConversions.time)
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
                            a = source.state(FieldNames.a._name, as: FieldTypes.a.self)
                            b = source.state(FieldNames.b._name, as: FieldTypes.b.self)
                            c = source.state(FieldNames.c._name, as: FieldTypes.c.self)
                            d = source.state(FieldNames.d._name, as: FieldTypes.d.self)
                            first = source.state(FieldNames.first._name, as: FieldTypes.first.self)
                            é = source.state(FieldNames.é._name, as: FieldTypes.é.self)
                            odd = source.state(FieldNames.odd._name, as: FieldTypes.odd.self)
                            seen = source.state(FieldNames.seen._name, as: FieldTypes.seen.self)
                """, "static let odd: ModelTypes.ModelField<FieldTypes.odd> = \"\\\"\\u{7}\\u{a}\"")
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
