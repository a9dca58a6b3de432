import ModelcastGenerate
import Testing

/// The types that schemas declare, and how they refer to each other.
@Suite struct `Types of schemas` {
    @Test(arguments: [
        (#"{"$ref": "user.schema.json"}"#, "var it: Reference<User>"),
        (##"{"$ref": "#"}"##, "var it: Reference<Thing>"),
        (#"{"$ref": "user.schema.json#"}"#, "var it: Reference<User>"),
        (#"{"type": "array", "items": {"$ref": "user.schema.json"}}"#, "var it: [Reference<User>]"),
        (#"{"type": "string", "x-modelcast-reference": "user.schema.json"}"#, "var it: Reference<User>"),
        (#"{"$ref": "common.schema.json#/$defs/address"}"#, "var it: Address"),
        (#"{"$ref": "./common.schema.json#/%24defs/address"}"#, "var it: Address"),
        (#"{"oneOf": [{"$ref": "common.schema.json#/$defs/address"}, {"type": "null"}]}"#, "var it: Address?"),
        (#"{"$ref": "common.schema.json#/$defs/colour"}"#, "var it: Colour"),
        (#"{"$ref": "common.schema.json#/$defs/colour", "default": "dark-blue"}"#, "var it: Colour = .darkBlue"),
        (
            #"{"$ref": "common.schema.json#/$defs/colour", "default": "red", "x-modelcast-open": true}"#,
            "var it: Open<Colour> = .known(.red)"
        ),
        (
            #"{"$ref": "common.schema.json#/$defs/colour", "default": "red", "x-modelcast-constant": true}"#,
            "@Constant @Field(default: Colour.red) let it: Colour"
        ),
        (#"{"type": ["string", "null"], "default": "a"}"#, #"var it: String? = "a""#),
        (
            #"{"oneOf": [{"$ref": "common.schema.json#/$defs/colour"}, {"type": "null"}], "default": "red"}"#,
            "var it: Colour? = .red"
        ),
        (#"{"$ref": "common.schema.json#/$defs/when"}"#, "@Field(convert: .iso8601) var it: Date"),
        (#"{"$ref": "common.schema.json#/$defs/percent"}"#, "@Field(validate: .range(0...100)) var it: Int"),
        (##"{"$ref": "#/$defs/list"}"##, "var it: [Colour]"),
    ])
    func `references`(schema: String, line: String) throws {
        let list = ##"{"list": {"type": "array", "items": {"$ref": "common.schema.json#/$defs/colour"}}}"##
        #expect(try Schemas.line(schema, definitions: list) == line)
    }

    @Test func `objects are nested, and so are their types`() throws {
        let body = try Schemas.body(
            Schemas.model(
                """
                {"description": "Where.", "properties": {
                  "deep": {"properties": {"type": {"enum": ["a", "b"], "default": "a"}}, "required": ["type"]}
                }}
                """, isRequired: false))
        #expect(
            body == """
                @Model
                struct Thing {
                    @ID let id: String
                    /// Where.
                    var it: It?

                    @Nested
                    struct It {
                        var deep: Deep?

                        @Nested
                        struct Deep {
                            var type: DeepType = .a

                            enum DeepType: String, FieldValue {
                                case a
                                case b
                            }
                        }
                    }
                }

                """)
    }

    @Test func `an object that is an element is one value, and so is each use of it`() throws {
        let body = try Schemas.body(
            Schemas.model(
                ##"{"type": "array", "items": {"properties": {"n": {"$ref": "#/$defs/node"}}, "required": ["n"]}}"##,
                definitions: ##"""
                    {"node": {"properties": {
                      "name": {"type": "string"},
                      "children": {"type": "array", "maxItems": 9, "items": {"$ref": "#/$defs/node"}},
                      "leaf": {"$ref": "#/$defs/leaf"}
                    }, "required": ["name", "children"]}, "leaf": {"properties": {"a": {"type": "integer"}}}}
                    """##))
        #expect(
            body == """
                @Model
                struct Thing {
                    @ID let id: String
                    var it: [ItItem]

                    @FieldValue
                    struct ItItem {
                        var n: Node
                    }
                }

                @FieldValue
                struct Node {
                    var name: String
                    @Field(validate: .count(0...9)) var children: [Node]
                    var leaf: Leaf?
                }

                @Nested
                struct Leaf {
                    var a: Int?
                }

                """)
        let list = ##"{"list": {"type": "object", "additionalProperties": {"$ref": "a.json#/$defs/pair"}}}"##
        let other = #"{"$defs": {"pair": {"properties": {"x": {"type": "integer"}}}}}"#
        let model = Schemas.model(##"{"$ref": "#/$defs/list"}"##, definitions: list)
        #expect(try Schemas.body(model, beside: ["a.json": other]).contains("var it: [String: Pair]"))
        #expect(
            try Schemas.source(other, named: "a.json", beside: ["thing.schema.json": model]).contains("@FieldValue"))
        #expect(try Schemas.body(other, named: "a.json").contains("@Nested"))
    }

    @Test func `enums of texts, of integers and of described constants`() throws {
        let body = try Schemas.body(
            """
            {"$defs": {
              "size": {"enum": ["small", "x-large", "init", null], "description": "How big."},
              "rank": {"enum": [1, 2], "x-modelcast-names": {"1": "low", "2": "high"}},
              "way": {"oneOf": [{"const": "UP", "description": "To the sky."}, {"const": "down"}]}
            }}
            """)
        #expect(
            body == """
                /// How big.
                enum Size: String, FieldValue {
                    case small
                    case xLarge = "x-large"
                    case `init`
                }

                enum Rank: Int, FieldValue {
                    case low = 1
                    case high = 2
                }

                enum Way: String, FieldValue {
                    /// To the sky.
                    case up = "UP"
                    case down
                }

                """)
    }

    @Test func `the value none is not taken for nothing`() throws {
        #expect(try Schemas.line(#"{"enum": ["none", "all"], "default": "none"}"#) == "var it: It = It.none")
    }

    @Test func `what tells objects apart is the case`() throws {
        let body = try Schemas.body(
            """
            {"$defs": {
              "body": {"description": "What it says.", "oneOf": [
                {"properties": {"kind": {"const": "plain-text"}, "text": {"type": "string"}}, "required": ["text"]},
                {"$ref": "#/$defs/picture"},
                {"$ref": "#/$defs/gone", "description": "Taken back."},
                {"title": "Author", "$ref": "user.schema.json"}
              ]},
              "picture": {"properties": {"kind": {"const": "picture"}, "width": {"type": "integer"}}},
              "gone": {"properties": {"kind": {"const": "gone"}}}
            }}
            """, beside: Schemas.others)
        #expect(
            body == """
                /// What it says.
                @OneOf(.tagged(by: "kind"))
                enum Body {
                    @Field("plain-text") case plainText(PlainText)
                    case picture(Picture)
                    /// Taken back.
                    case gone
                    case author(Reference<User>)

                    @Nested
                    struct PlainText {
                        var text: String
                    }
                }

                @Nested
                struct Picture {
                    var width: Int?
                }

                """)
    }

    @Test func `variants without a tag have titles`() throws {
        let body = try Schemas.body(
            Schemas.model(
                """
                {"oneOf": [{"title": "Phone number", "type": "string"},
                 {"title": "URL", "type": "string", "format": "uri"}, {"const": "nobody"},
                 {"title": "Letter", "$ref": "common.schema.json#/$defs/address"}, {"type": "null"}]}
                """), beside: Schemas.others)
        #expect(
            body == """
                @Model
                struct Thing {
                    @ID let id: String
                    var it: It?

                    @OneOf(.bare)
                    enum It {
                        case phoneNumber(String)
                        case url(URL)
                        case nobody
                        case letter(Address)
                    }
                }

                """)
    }

    @Test func `constants are always there and checked`() throws {
        #expect(
            try Schemas.line(#"{"const": 2}"#)
                == #"@Field(validate: .check("2") { @Sendable (value: Int) in value == 2 }) var it: Int = 2"#)
        let body = try Schemas.body(Schemas.model(#"{"const": "v1"}"#))
        #expect(body.contains("    var it: It = .v1\n\n    enum It: String, FieldValue {\n        case v1\n    }\n"))
    }

    @Test func `a model has the names that it asks for`() throws {
        let body = try Schemas.body(
            """
            {"title": "user account", "x-modelcast-type": "accounts.User", "x-modelcast-name": "Customer",
             "properties": {"user_id": {"type": "string", "format": "uuid", "x-modelcast-id": true}},
             "required": ["user_id"]}
            """)
        #expect(body == "@Model(\"accounts.User\")\nstruct Customer {\n    @ID(\"user_id\") let userId: UUID\n}\n")
    }

    @Test func `what is public says so everywhere`() throws {
        let schema = """
            {"properties": {"id": {"type": "string", "format": "uuid"}, "it": {"enum": ["a"]}}, "required": ["id"]}
            """
        let expected = """
            // Generated by modelcast generate from thing.schema.json. Do not edit: change the schema.

            #if hasFeature(InternalImportsByDefault)
                public import Foundation
                public import ModelcastMacros
            #else
                import Foundation
                import ModelcastMacros
            #endif

            @Model
            public struct Thing {
                @ID public let id: UUID
                public var it: It?

                public enum It: String, FieldValue {
                    case a
                }
            }

            """
        #expect(try Schemas.source(schema, access: .public) == expected)
        let own = "{\"x-modelcast-access\": \"public\", \(schema.dropFirst())"
        #expect(try Schemas.source(own) == expected)
        #expect(try Schemas.source(schema, access: .package).contains("    package import Foundation\n"))
    }
}
