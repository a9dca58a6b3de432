import Testing

/// What becomes of the schema of a property.
@Suite struct `Properties of schemas` {
    @Test(arguments: [
        (#"{"type": "string"}"#, "var it: String"),
        (#"{"type": "boolean"}"#, "var it: Bool"),
        (#"{"type": "integer"}"#, "var it: Int"),
        (#"{"type": "integer", "format": "int32"}"#, "var it: Int32"),
        (#"{"type": "integer", "format": "int64"}"#, "var it: Int64"),
        (#"{"type": "number"}"#, "var it: Double"),
        (#"{"type": "number", "format": "float"}"#, "var it: Float"),
        (#"{"type": "string", "format": "email"}"#, "var it: String"),
        (#"{"type": "string", "format": "date-time"}"#, "@Field(convert: .iso8601) var it: Date"),
        (#"{"type": "string", "format": "uri"}"#, "@Field(convert: .urlText) var it: URL"),
        (#"{"type": "string", "format": "uuid"}"#, "@Field(convert: .uuidText) var it: UUID"),
        (#"{"type": "string", "format": "byte"}"#, "var it: Data"),
        (#"{"type": "string", "contentEncoding": "base64"}"#, "var it: Data"),
        (#"{"type": "array"}"#, "var it: [Value]"),
        (#"{"type": "array", "items": true}"#, "var it: [Value]"),
        (#"{"type": "array", "items": {"type": "string"}}"#, "var it: [String]"),
        (#"{"type": "array", "items": {"type": ["integer", "null"]}}"#, "var it: [Int?]"),
        (
            #"{"type": "array", "items": {"type": "string", "format": "date-time", "nullable": true}}"#,
            "@Field(convert: .iso8601.optional.elements) var it: [Date?]"
        ),
        (
            #"{"type": "array", "items": {"type": "array", "items": {"type": "string", "format": "uri"}}}"#,
            "@Field(convert: .urlText.elements.elements) var it: [[URL]]"
        ),
        (#"{"type": "object"}"#, "var it: [String: Value]"),
        (#"{"type": "object", "additionalProperties": {"type": "integer"}}"#, "var it: [String: Int]"),
        (#"{"type": "object", "additionalProperties": {"type": "string", "format": "uri"}}"#, "var it: [String: URL]"),
        (#"{}"#, "var it: Value?"),
        (#"true"#, "var it: Value?"),
    ])
    func `types and formats`(schema: String, line: String) throws {
        #expect(try Schemas.line(schema) == line)
    }

    @Test(arguments: [
        (#"{"type": ["string", "null"]}"#, true, "var it: String?"),
        (#"{"type": "string", "nullable": true}"#, true, "var it: String?"),
        (#"{"oneOf": [{"type": "null"}, {"type": "string"}]}"#, true, "var it: String?"),
        (#"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#, true, "var it: String?"),
        (#"{"allOf": [{"type": "string"}], "default": "a"}"#, true, #"var it: String = "a""#),
        (#"{"type": "string"}"#, false, "var it: String?"),
        (#"{"type": "string", "default": null, "nullable": true}"#, false, "var it: String?"),
        (#"{"type": "string", "default": "a\"b\\c\n"}"#, false, #"var it: String = "a\"b\\c\n""#),
        (#"{"type": "string", "default": "é\u0001"}"#, true, #"var it: String = "é\u{1}""#),
        (#"{"type": "integer", "default": 3.0}"#, false, "var it: Int = 3"),
        (#"{"type": "number", "default": -0.5}"#, false, "var it: Double = -0.5"),
        (#"{"type": "boolean", "default": false}"#, false, "var it: Bool = false"),
        (#"{"type": "array", "items": {"type": "string"}, "default": ["a"]}"#, false, #"var it: [String] = ["a"]"#),
        (#"{"type": "array", "items": {"type": "string"}, "default": []}"#, false, "var it: [String] = []"),
        (
            #"{"type": "object", "additionalProperties": {"type": "integer"}, "default": {}}"#, false,
            "var it: [String: Int] = [:]"
        ),
        (
            #"{"type": "string", "format": "date-time", "default": "1970-01-01T00:00:01.500Z"}"#, false,
            "@Field(convert: .iso8601) var it: Date = Date(timeIntervalSince1970: 1.5)"
        ),
        (
            #"{"type": "string", "format": "uri", "default": "a:b"}"#, false,
            #"@Field(convert: .urlText) var it: URL = URL(string: "a:b")!"#
        ),
        (
            #"{"type": "integer", "default": 3, "x-modelcast-constant": true}"#, false,
            "@Constant @Field(default: 3) let it: Int"
        ),
        (
            #"{"type": "array", "items": {"type": "string"}, "default": [], "x-modelcast-constant": true}"#, false,
            "@Constant @Field(default: [] as [String]) let it: [String]"
        ),
        (#"{"type": "integer", "x-modelcast-constant": true}"#, false, "@Constant let it: Int?"),
    ])
    func `optionals, defaults and constants`(schema: String, isRequired: Bool, line: String) throws {
        #expect(try Schemas.line(schema, isRequired: isRequired) == line)
    }

    @Test(arguments: [
        (#"{"type": "integer", "minimum": 1, "maximum": 9}"#, ".range(1...9)", "Int"),
        (#"{"type": "number", "minimum": 0, "maximum": 0.5}"#, ".range(0...0.5)", "Double"),
        (
            #"{"type": "integer", "minimum": 1}"#,
            #".check("at least 1") { @Sendable (value: Int) in value >= 1 }"#, "Int"
        ),
        (
            #"{"type": "number", "exclusiveMinimum": 0, "maximum": 1}"#,
            #".check("more than 0 and at most 1") { @Sendable (value: Double) in value > 0 && value <= 1 }"#, "Double"
        ),
        (#"{"type": "string", "maxLength": 80}"#, ".length(0...80)", "String"),
        (#"{"type": "string", "minLength": 0, "maxLength": 80}"#, ".length(0...80)", "String"),
        (
            #"{"type": "string", "minLength": 1}"#,
            #".check("text of at least 1 character") { @Sendable (value: String) in value.count >= 1 }"#, "String"
        ),
        (
            #"{"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}"#,
            #".check("2 elements") { @Sendable (value: [Int]) in value.count == 2 }"#, "[Int]"
        ),
        (
            #"{"type": "array", "items": {"type": "integer", "maximum": 5}}"#,
            #".check("elements that are at most 5") { @Sendable (value: [Int]) in value.allSatisfy { $0 <= 5 } }"#,
            "[Int]"
        ),
        (#"{"type": "string", "minLength": 0}"#, "", "String"),
    ])
    func `bounds`(schema: String, validation: String, type: String) throws {
        let source = try Schemas.source(Schemas.model(schema))
        let field = validation.isEmpty ? "" : "@Field(validate: \(validation))"
        let flat = source.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(flat.contains("\(field) var it: \(type) "))
    }

    @Test func `long bounds stand in several lines`() throws {
        let property = """
            {"type": "array", "items": {"type": "string", "format": "uri", "minLength": 10, "maxLength": 2000},
             "minItems": 1, "maxItems": 20}
            """
        let expected = """
                @Field(
                    convert: .urlText.elements,
                    validate: .check("1 to 20 elements, elements that are text of 10 to 2000 characters") {
                        @Sendable (value: [URL]) in
                        (1...20).contains(value.count) \
            && value.allSatisfy { (10...2000).contains($0.absoluteString.count) }
                    })
                var it: [URL]
            """
        #expect(try Schemas.source(Schemas.model(property)).contains(expected))
    }

    @Test func `names, reserved words and comments`() throws {
        let body = try Schemas.body(
            """
            {"description": "A thing.\\n\\n  With a history.  ", "properties": {
              "nick_name": {"type": "string", "description": "As friends say."},
              "default": {"type": "boolean"}, "in": {"type": "integer"}, "CreatedAt": {"type": "integer"},
              "HTTPServer": {"type": "integer"}, "IS_OPEN": {"type": "integer"}, "kebab-case": {"type": "integer"},
              "über": {"type": "integer", "x-modelcast-name": "above"},
              "id": {"type": "integer", "description": "Its number."}
            }, "required": ["id"]}
            """)
        #expect(
            body == """
                /// A thing.
                ///
                /// With a history.
                @Model
                struct Thing {
                    /// Its number.
                    @ID let id: Int
                    /// As friends say.
                    @Field("nick_name") var nickName: String?
                    var `default`: Bool?
                    var `in`: Int?
                    @Field("CreatedAt") var createdAt: Int?
                    @Field("HTTPServer") var httpServer: Int?
                    @Field("IS_OPEN") var isOpen: Int?
                    @Field("kebab-case") var kebabCase: Int?
                    @Field("über") var above: Int?
                }

                """)
    }

    @Test func `a long description is broken between words`() throws {
        let words = Array(repeating: "word", count: 60).joined(separator: " ")
        let source = try Schemas.source(Schemas.model(#"{"type": "integer", "description": "\#(words)"}"#))
        let comments = source.split(separator: "\n").filter { $0.hasPrefix("    /// ") }
        #expect(comments.count == 3)
        #expect(comments.allSatisfy { $0.count <= 120 })
    }
}
