import Foundation
import Testing

/// What the macro makes of structs, as text.
@Suite struct `Expansions` {
    /// A text that is compiled elsewhere, from `start` on.
    private static func compiled(_ path: String, from start: String) throws -> String {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { folder, _ in folder.deletingLastPathComponent() }
        let file = root.appending(path: path)
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: start))
        return String(text[start.lowerBound...])
    }

    @Test func `the user becomes what is compiled with ModelTypes`() throws {
        Expansion(
            """
            @Model
            struct User {
                @ID let id: UUID
                @Field("nick_name") var nickName: String
                var age: Int?
                @Constant @Field(convert: .iso8601) let createdAt: Date
                @Field("home", convert: .urlText) var homepage: URL?
                var colour: Colour = .red
                @Field(validate: .length(1...80)) var title: String?
                @Local var isSelected: Bool = false
            }
            """
        )
        .expect(whole: try Self.compiled("Tests/ModelTypesTests/ExpandedUser.swift", from: "struct User {"))
    }

    @Test func `the benchmark measures what the macro makes`() throws {
        Expansion(
            """
            @Model
            struct BenchUser {
                @ID let id: String
                var name: String
                @Field("mail_address") var mailAddress: String
                var age: Int
                var balance: Double
                var isActive: Bool
                var city: String?
                var language: String = "en"
                var score: Int32
                @Constant @Field("created_at", convert: .unixMilliseconds) let createdAt: Date
                var tags: [String]
            }
            """
        )
        .expect(whole: try Self.compiled("Sources/ModelcastBench/Loads/BenchUser.swift", from: "struct BenchUser {"))
    }

    /// An extension could not name `Size`.
    @Test func `a struct within another type has all in itself`() {
        Expansion(
            """
            enum Shop {
                @Model
                struct Item {
                    @ID let id: Int
                    var size: Size
                }
            }
            """
        )
        .expect(
            whole: #"""
                enum Shop {
                    struct Item {
                        let id: Int
                        var size: Size

                        init(
                            id: Int,
                            size: Size
                        ) {
                            self.id = id
                            self.size = size
                        }

                        static var modelType: String { "Item" }

                        enum FieldNames {
                            static let size: ModelTypes.ModelField<Size> = "size"
                        }

                        static let properties: [ModelTypes.ModelProperty<Item>] = [
                            ModelTypes.ModelProperty(\.size, FieldNames.size._name),
                        ]

                        init(id: Int, record: ModelRecord.CellRecord) throws(ModelTypes.FieldProblem) {
                            self = try Partial(id: id, record: record).model()
                        }

                        init(from decoder: any Decoder) throws {
                            self = try Partial(from: decoder).complete(from: decoder)
                        }

                        func encode(to encoder: any Encoder) throws {
                            try ModelTypes.FieldEncoder.encode(self, to: encoder)
                        }

                        func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
                            try sink.write("size", size)
                        }

                        func diff(from old: Item) throws(ModelTypes.FieldProblem) -> ModelRecord.Fields {
                            var sink = ModelTypes.FieldWriter()
                            if size != old.size {
                                try sink.write("size", size, insteadOf: old.size)
                            }
                            return sink.fields
                        }

                        static func == (left: Item, right: Item) -> Bool {
                            left.id == right.id
                                && left.size == right.size
                        }

                        func hash(into hasher: inout Hasher) {
                            hasher.combine(id)
                            hasher.combine(size)
                        }

                        var description: String {
                            var text = ModelTypes.ModelText("Item")
                            text.add("id", id)
                            text.add("size", size)
                            return text.description
                        }

                        /// What is known of a ``Item``, field by field.
                        struct Partial: ModelTypes.PartialModel, Codable, CustomStringConvertible {
                            let id: Int
                            var size: ModelTypes.FieldState<Size> = .unknown

                            /// Of this model nothing is known yet.
                            init(id: Int) {
                                self.id = id
                            }

                            init(id: Int, record: ModelRecord.CellRecord) {
                                var reader = ModelTypes.FieldReader(record)
                                self.init(id: id, reading: &reader)
                            }

                            init(from decoder: any Decoder) throws {
                                var decoder = try ModelTypes.FieldDecoder(decoder)
                                self.init(id: try decoder.id(), reading: &decoder)
                            }

                            private init(id: Int, reading source: inout some ModelTypes.FieldSource) {
                                self.id = id
                                size = source.state(FieldNames.size._name, as: Size.self)
                            }

                            func model() throws(ModelTypes.FieldProblem) -> Item {
                                Item(
                                    id: id,
                                    size: try size.required(FieldNames.size._name)
                                )
                            }

                            var problems: [ModelTypes.FieldProblem] {
                                let problems = [
                                    size.problem(FieldNames.size._name),
                                ]
                                return problems.compactMap(\.self)
                            }

                            func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
                                try sink.write("size", size)
                            }

                            func encode(to encoder: any Encoder) throws {
                                try ModelTypes.FieldEncoder.encode(self, to: encoder)
                            }

                            var description: String {
                                var text = ModelTypes.ModelText("Item.Partial")
                                text.add("id", id)
                                text.add("size", size)
                                return text.description
                            }
                        }
                    }
                }

                nonisolated extension Shop.Item: ModelTypes.Model, Codable, CustomStringConvertible {}
                """#)
    }
}
