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

                        static var modelType: Swift.String { "Item" }

                        enum FieldTypes {
                            // Fields are scalars, @FieldValue, @Nested, @OneOf, arrays and maps; other types take \#
                convert:.
                            typealias size = ModelTypes.FieldOf<Size>
                        }

                        enum FieldNames {
                            static let size: ModelTypes.ModelField<FieldTypes.size> = "size"
                        }

                        static let properties: [ModelTypes.ModelProperty<Item>] = [
                            ModelTypes.ModelProperty(\.size, FieldNames.size._name),
                        ]

                        init(id: Int, record: ModelRecord.CellRecord) throws(ModelTypes.FieldProblem) {
                            self = try Partial(id: id, record: record).model()
                        }

                        init(from decoder: any Swift.Decoder) throws {
                            self = try Partial(from: decoder).complete(from: decoder)
                        }

                        func encode(to encoder: any Swift.Encoder) throws {
                            try ModelTypes.FieldEncoder.encode(self, to: encoder)
                        }

                        func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
                            sink.put("size", size as FieldTypes.size)
                            try sink.checkProblem()
                        }

                        func diff(from old: Item) throws(ModelTypes.FieldProblem) -> ModelRecord.Fields {
                            var diff = ModelTypes.FieldDiff()
                            diff.compare("size", size as FieldTypes.size, old.size)
                            return try diff.finish()
                        }

                        static func == (left: Item, right: Item) -> Swift.Bool {
                            if ModelTypes.FieldRule.differ(left.id, right.id) { return false }
                            if ModelTypes.FieldRule.differ(left.size as FieldTypes.size, right.size) { return false }
                            return true
                        }

                        func hash(into hasher: inout Swift.Hasher) {
                            hasher.combine(id)
                        }

                        var description: Swift.String {
                            ModelTypes.ModelText.of(
                                self,
                                "Item",
                                id: "id",
                                fields: "size"
                            )
                        }

                        /// What is known of a ``Item``, field by field.
                        struct Partial: ModelTypes.PartialModel, Swift.Codable, Swift.CustomStringConvertible {
                            let id: Int
                            var size: ModelTypes.FieldState<FieldTypes.size> = .unknown

                            /// Of this model nothing is known yet.
                            init(id: Int) {
                                self.id = id
                            }

                            init(id: Int, record: ModelRecord.CellRecord) {
                                var reader = ModelTypes.FieldReader(record)
                                self.init(id: id, reading: &reader)
                            }

                            init(from decoder: any Swift.Decoder) throws {
                                var decoder = try ModelTypes.FieldDecoder(decoder, of: Partial.self)
                                self.init(id: try decoder.id(), reading: &decoder)
                            }

                            private init(id: Int, reading source: inout some ModelTypes.FieldSource) {
                                self.id = id
                                size = source.state(FieldNames.size._name, as: FieldTypes.size.self)
                            }

                            func model() throws(ModelTypes.FieldProblem) -> Item {
                                if let problem = problems.first { throw problem }
                                return Item(
                                    id: id,
                                    size: size.found
                                )
                            }

                            var problems: [ModelTypes.FieldProblem] {
                                var problems = ModelTypes.FieldProblems()
                                size.require("size", &problems)
                                return problems.all
                            }

                            func write(into sink: inout some ModelTypes.FieldSink) throws(ModelTypes.FieldProblem) {
                                sink.put("size", size)
                                try sink.checkProblem()
                            }

                            func encode(to encoder: any Swift.Encoder) throws {
                                try ModelTypes.FieldEncoder.encode(self, to: encoder)
                            }

                            static func == (left: Partial, right: Partial) -> Swift.Bool {
                                ModelTypes.FieldRule.areEqual(left, right)
                            }

                            func hash(into hasher: inout Swift.Hasher) {
                                hasher.combine(id)
                            }

                            var description: Swift.String {
                                ModelTypes.ModelText.of(self, "Item.Partial")
                            }
                        }
                    }
                }

                nonisolated extension Shop.Item: ModelTypes.Model, Swift.Identifiable, Swift.Hashable,
                    Swift.Equatable, Swift.Sendable, Swift.Codable, Swift.CustomStringConvertible
                {}
                """#)
    }
}
