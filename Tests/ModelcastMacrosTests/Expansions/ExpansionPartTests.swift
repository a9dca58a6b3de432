import Testing

/// What is special in the expansions of some structs.
@Suite struct `Parts of expansions` {
    @Test func `a projection has the other type's name`() {
        Expansion(
            """
            @Model("User")
            struct UserCard {
                @ID let id: String
                var name: String
            }
            """
        )
        .expect(
            parts: """
                nonisolated extension UserCard: ModelTypes.Model, Swift.Identifiable, Swift.Hashable,
                    Swift.Equatable, Swift.Sendable, Swift.Codable, Swift.CustomStringConvertible
                {
                    static var modelType: Swift.String { "User" }
                """,
            "ModelTypes.ModelText.of(self, \"UserCard.Partial\")",
            "func model() throws(ModelTypes.FieldProblem) -> UserCard {")
    }

    @Test func `without optional and constant properties there is no account of them`() {
        Expansion(
            """
            @Model
            struct Card {
                @ID let id: String
                var name: String
            }
            """
        )
        .expect(
            parts: """
                    static func == (left: Card, right: Card) -> Swift.Bool {
                        if ModelTypes.FieldRule.differ(left.id, right.id) { return false }
                        if ModelTypes.FieldRule.differ(left.name as FieldTypes.name, right.name) { return false }
                        return true
                    }
                """,
            """
                    func model() throws(ModelTypes.FieldProblem) -> Card {
                        if let problem = problems.first { throw problem }
                        return Card(
                            id: id,
                            name: name.found
                        )
                    }
            """,
            without: "unread", "unknown:", "unknownFields", "constants", "Constants")
    }

    @Test func `an id under another name is also called id`() {
        Expansion(
            """
            @Model
            struct Price {
                @ID let symbol: String
                @Constant let currency: String
            }
            """
        )
        .expect(
            parts: "    var id: String { symbol }", "        self.symbol = symbol",
            "ModelTypes.FieldEncoder.encode(self, to: encoder)", "differ(left.symbol, right.symbol)",
            "hasher.combine(symbol)",
            "            \"Price\",", "id: \"symbol\",", "fields: \"currency\"",
            """
                struct Partial: ModelTypes.PartialModel, Swift.Codable, Swift.CustomStringConvertible {
                    let id: String
            """,
            """
                        return Price(
                            symbol: id,
            """,
            """
                struct Constants: Swift.Identifiable, Swift.Hashable, Swift.Sendable {
                    let id: String
            """,
            """
                    Constants(
                        id: symbol,
            """)
    }

    @Test func `an id alone is a model`() {
        Expansion(
            """
            @Model
            struct Mark {
                @ID let id: String
            }
            """
        )
        .expect(
            parts: "static let properties: [ModelTypes.ModelProperty<Mark>] = []",
            "var problems: [ModelTypes.FieldProblem] { [] }",
            "    func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {}",
            without: "Names")
    }

    @Test func `what is public is so in all its parts, and what is less remains less`() {
        Expansion(
            """
            @Model
            public struct Person {
                /// The number.
                @ID public let id: Int
                /// How they
                /// are called.
                public private(set) var name: String
                /** Year */
                @Constant package let born: Int
                var inside: Int
                // Not told.
                private var note: String = "-"
            }
            """
        )
        .expect(
            parts: "    public init(\n", "    public static var modelType", "    public enum FieldNames {",
            "        public static let name: ModelTypes.ModelField<FieldTypes.name>",
            "        public typealias name = ModelTypes.FieldOf<String>",
            "        package static let born: ModelTypes.ConstantField",
            "        static let inside: ModelTypes.ModelField<FieldTypes.inside>",
            "        fileprivate static let note: ModelTypes.ModelField<FieldTypes.note>",
            "    public static let properties",
            "    public init(from decoder", "    public var constants: Constants {",
            """
                public struct Partial: ModelTypes.PartialModel, Swift.Codable, Swift.CustomStringConvertible {
                    /// The number.
                    public let id: Int
                    /// How they
                    /// are called.
                    public var name: ModelTypes.FieldState<FieldTypes.name> = .unknown
                    /** Year */
                    package var born: ModelTypes.FieldState<FieldTypes.born> = .unknown
                    var inside: ModelTypes.FieldState<FieldTypes.inside> = .unknown
                    fileprivate var note: ModelTypes.FieldState<FieldTypes.note> = .unknown
            """,
            """
                public struct Constants: Swift.Identifiable, Swift.Hashable, Swift.Sendable {
                    /// The number.
                    public let id: Int
                    /** Year */
                    package let born: Int
                }
            """)
        Expansion("@Model private struct Note {\n    @ID let id: Int\n    private var text: String\n}")
            .expect(
                parts: "        var text: ModelTypes.FieldState<FieldTypes.text>",
                "        static let text: ModelTypes.ModelField<FieldTypes.text>",
                "    static var modelType", without: "fileprivate")
    }

    /// Key paths to these are what observers take, so nothing else can be observed.
    @Test func `among the names are the fields, and neither the id nor what is local or computed`() {
        Expansion(
            """
            @Model
            struct Item {
                @ID let id: Int
                var name: String?
                @Constant let born: Int
                @Constant let died: Int?
                @Field(convert: .urlText) var link: URL
                @Local var isSelected: Bool = false
                var age: Int { 2026 - born }
            }
            """
        )
        .expect(
            parts: """
                    enum FieldNames {
                        static let name: ModelTypes.ModelField<FieldTypes.name> = "name"
                        static let born: ModelTypes.ConstantField = "born"
                        static let died: ModelTypes.ModelField<FieldTypes.died> = "died"
                        static let link: ModelTypes.ModelField<Swift.Never> = "link"
                    }
                """)
    }

    @Test func `a protocol that the struct says itself is not said again`() {
        let source = "@Model struct Item {\n    @ID let id: Int\n}"
        Expansion(source, conformances: ["Model"]).expect(parts: "nonisolated extension Item: ModelTypes.Model {")
        Expansion(source, conformances: ["Swift.Encodable"]).expect(parts: "extension Item: Swift.Encodable {")
        Expansion(source, conformances: []).expect(parts: "extension Item {\n    static var modelType")
    }
}
