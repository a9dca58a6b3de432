import ModelcastGenerate
import TestSupport
import Testing

/// Schemas as others write them.
@Suite struct `Schemas as they are` {
    @Test func `allOf is one type with all that its parts say`() throws {
        let body = try Schemas.body(
            ##"""
            {"title": "Thing", "description": "Mine.", "required": ["a"],
             "allOf": [{"$ref": "#/$defs/base"}, {"properties": {"b": {"maximum": 5, "minimum": 2}, "c": {}}}],
             "properties": {"a": {"type": "string"}},
             "$defs": {"base": {"title": "Base", "description": "Theirs.", "required": ["b", "when"], "allOf": [
               {"properties": {"b": {"description": "How many.", "type": "integer", "maximum": 9}}},
               {"$ref": "common.schema.json#/$defs/address"}],
               "properties": {"when": {"$ref": "common.schema.json#/$defs/when"}}}}}
            """##, beside: Schemas.others)
        #expect(
            body.hasPrefix(
                """
                /// Mine.
                @Nested
                struct Thing {
                    var a: String
                    @Field(convert: .iso8601) var when: Date
                    /// How many.
                    @Field(validate: .range(2...5)) var b: Int
                    var street: String?
                    var c: Value?
                }
                """), "\(body)")
    }

    @Test(arguments: [
        (
            #"{"allOf": [{"type": "string"}, {"minLength": 2}, {"maxLength": 9}, {"minLength": 3}]}"#,
            "(3...9)) var it: String"
        ),
        (#"{"allOf": [{"type": ["string", "null"]}, {"type": "string"}]}"#, "var it: String"),
        (#"{"allOf": [{"type": "number"}, {"type": "integer"}]}"#, "var it: Int"),
        (##"{"allOf": [{"$ref": "user.schema.json"}], "description": "d"}"##, "var it: Reference<User>"),
        (#"{"anyOf": [{"enum": ["a", "b"]}, {"type": "string"}, {"type": "null"}]}"#, "var it: String?"),
        (#"{"oneOf": [{"type": "string", "pattern": "^a"}, {"type": "string"}]}"#, "var it: String"),
        (#"{"anyOf": [{"type": "integer"}, {"type": "number"}]}"#, "var it: Double"),
        (#"{"type": "string", "pattern": "^a\\.b$"}"#, #"@Field(validate: .pattern("^a\\.b$")) var it: String"#),
        (#"{"type": "integer", "multipleOf": 5}"#, "value.isMultiple(of: 5)"),
        (#"{"type": "number", "multipleOf": 0.1}"#, "rounded() - value / 0.1) < 1e-9"),
        (#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true}"#, "Set(value).count == value.count"),
        (#"{"type": "array", "uniqueItems": false}"#, "var it: [Value]"),
        (#"{"type": "integer", "minimum": 3, "exclusiveMinimum": true}"#, "value > 3"),
        (#"{"type": "integer", "minimum": 3, "exclusiveMinimum": false}"#, "value >= 3"),
        (##"{"$ref": "#/properties/id"}"##, "var it: String"),
        (#"{"type": "string", "deprecated": true, "readOnly": true, "writeOnly": true}"#, "var it: String"),
        (
            #"{"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2, "maxProperties": 5}"#,
            "(value: [String: Int]) in (2...5).contains(value.count)"
        ),
        (#"{"x-modelcast-swift": "Money", "x-modelcast-convert": ".cents"}"#, "@Field(convert: .cents) var it: Money"),
        (#"{"type": "object", "x-modelcast-swift": "[Money]", "patternProperties": {}}"#, "var it: [Money]"),
    ])
    func `a property of such a schema has this form`(schema: String, line: String) throws {
        let made = try Schemas.source(Schemas.model(schema), beside: Schemas.others)
        #expect(made.contains(line), "\(made)")
    }

    @Test func `references find addresses, anchors and places, near and far`() throws {
        let base = "https://example.org/schemas"
        let body = try Schemas.body(
            ##"""
            {"$id": "\##(base)/thing", "properties": {
              "a": {"$ref": "other#/$defs/x"}, "b": {"$ref": "\##(base)/other"}, "c": {"$ref": "#near"},
              "d": {"$ref": "other#far"}, "e": {"$ref": "#/properties/f/items"}, "g": {"$ref": "inner"},
              "f": {"type": "array", "items": {"properties": {"n": {"type": "integer"}}}},
              "h": {"$ref": "http://elsewhere.org/v1/copied.json"}},
             "$defs": {"k": {"$anchor": "near", "enum": ["k"]},
                       "l": {"$id": "inner", "$ref": "#/$defs/m", "$defs": {"m": {"type": "boolean"}}}}}
            """##,
            beside: [
                "o.json": ##"""
                {"$id": "\##(base)/other", "title": "Far", "properties": {"x": {}},
                 "$defs": {"x": {"enum": ["x"]}, "y": {"$id": "#far", "type": "string"}}}
                """##, "copied.json": #"{"enum": ["copied"]}"#,
            ])
        let lines = body.split(separator: "\n").filter { $0.contains(" var ") }.map { $0.drop { $0 == " " } }
        #expect(
            lines.prefix(8) == [
                "var a: X?", "var b: Far?", "var c: K?", "var d: String?", "var e: F?", "var g: Bool?", "var f: [F]?",
                "var h: Copied?",
            ], "\(lines)")
    }

    @Test func `definitions are found by either keyword`() throws {
        let body = try Schemas.body(
            ##"""
            {"properties": {"a": {"$ref": "#/definitions/shade"}, "b": {"$ref": "#/$defs/size"}},
             "definitions": {"shade": {"enum": ["dark"]}}, "$defs": {"size": {"enum": ["small"]}}}
            """##)
        #expect(body.contains("var a: Shade?") && body.contains("var b: Size?"), "\(body)")
        #expect(body.contains("enum Shade: String") && body.contains("enum Size: String"), "\(body)")
    }

    @Test func `a discriminator names the property that tells variants apart, where several could`() throws {
        let body = try Schemas.body(
            ##"""
            {"title": "Shape", "discriminator": {"propertyName": "kind"}, "oneOf": [
              {"title": "A", "required": ["also", "kind"],
               "properties": {"also": {"const": "first"}, "kind": {"const": "round"}, "size": {"type": "integer"}}},
              {"title": "B", "required": ["also", "kind"],
               "properties": {"also": {"const": "second"}, "kind": {"const": "square"}, "side": {"type": "integer"}}}]}
            """##)
        #expect(body.contains(#"@OneOf(.tagged(by: "kind"))"#), "\(body)")
        #expect(body.contains("case round") && body.contains("case square"), "\(body)")
    }

    @Test func `a type of one's own brings its module`() throws {
        let source = try Schemas.source(
            #"{"x-modelcast-imports": ["Money"], "properties": {"a": {"x-modelcast-swift": "Amount"}}}"#)
        #expect(source.contains("import ModelcastMacros\nimport Money\n"))
    }

    // MARK: Lenient runs

    /// The source of a lenient run, and what it warned of.
    private func lenient(
        _ text: String, named name: String = "t.json"
    ) throws -> (source: String, warnings: [SchemaProblem]) {
        var warnings: [SchemaProblem] = []
        let files = try Generator(isLenient: true).generate([SchemaFile(path: name, text: text)]) {
            warnings.append($0)
        }
        return (files.map(\.text).joined(), warnings)
    }

    @Test(arguments: [
        (#"{"type": ["string", "integer"]}"#, "var it: Value"), (#"{"not": {}}"#, "var it: Value"),
        (#"{"type": "string", "if": {}, "markdown": "m"}"#, "var it: String"),
        (#"{"type": "string", "default": 3}"#, "var it: String"),
        (#"{"type": "array", "items": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}"#, "var it: [Value]"),
        (#"{"type": "array", "items": [{}, {}]}"#, "var it: [Value]"), (#"{"type": "text"}"#, "var it: Value"),
        (#"{"properties": {"a.b": {}, "c": {}}}"#, "var it: It"), (#"{"enum": ["a", 1]}"#, "var it: Value"),
        (#"{"enum": ["1.0", "1,0", "a", "a", "A", "self"]}"#, "var it: It"),
        (#"{"type": "object", "patternProperties": {"^a": {"type": "integer"}}}"#, "var it: [String: Int]"),
        (
            #"{"type": "object", "additionalProperties": {"type": "integer"}, "propertyNames": {"pattern": "^a"}}"#,
            "var it: [String: Int]"
        ),
        (#"{"$ref": "none.json"}"#, "var it: Value"), (##"{"$ref": "#/none"}"##, "var it: Value"),
        (#"{"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}"#, "var it: Value"),
        (#"{"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "integer"}]}"#, "var it: It"),
        (
            ##"{"oneOf": [{"const": 1}, {"title": "b", "allOf": [{"$ref": "#/properties/it"}, {}]}]}"##,
            "var it: Value"
        ),
        (#"{"title": "String", "properties": {"it": {"title": "String2", "enum": ["b"]}}}"#, "var it: String2"),
        (##"{"properties": {"a": {"$ref": "#/$defs/self"}}}"##, "var it: It"),
    ])
    func `a lenient run warns, and makes of it what it can`(schema: String, line: String) throws {
        let text = Schemas.model(
            schema, definitions: ##"{"self": {"properties": {"self": {"$ref": "#/$defs/self"}, "b": {}}}}"##)
        let (source, warnings) = try lenient(text)
        #expect(source.contains(line), "\(source)")
        #expect(!warnings.isEmpty && warnings.allSatisfy { $0.line != nil })
    }

    @Test func `a lenient run changes nothing of what has a form, and warns of nothing`() throws {
        for (name, text) in Schemas.others {
            let (source, warnings) = try lenient(text, named: name)
            let strict = try Schemas.source(text, named: name)
            #expect(source == strict)
            #expect(warnings.isEmpty)
        }
    }

    @Test func `a lenient run ends well with any schema`() throws {
        let keys = [
            "type", "properties", "items", "oneOf", "anyOf", "allOf", "$ref", "enum", "const", "required", "default",
            "title", "$defs", "additionalProperties", "format", "minimum", "pattern", "$id", "$anchor", "not", "id",
            "x-modelcast-id", "x-modelcast-open", "x-modelcast-names", "x-modelcast-reference", "discriminator",
        ]
        let texts = [
            "string", "integer", "object", "array", "null", "#", "#/$defs/a", "#/properties/id", "date-time", "a", "id",
            "", "a.b", "self", "^a", "t.json", "http://a/b", "#x",
        ]
        forEachSeed(20_000) { _, generator in
            func json(_ depth: Int) -> String {
                switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &generator) {
                case 0: return "true"
                case 1: return "\(Int.random(in: -2...9, using: &generator))"
                case 2, 3, 4: return "\"\(texts.randomElement(using: &generator) ?? "")\""
                case 5, 6:
                    let elements = (0..<Int.random(in: 0...3, using: &generator)).map { _ in json(depth - 1) }
                    return "[\(elements.joined(separator: ", "))]"
                default: return object(depth - 1)
                }
            }
            func object(_ depth: Int) -> String {
                let names = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                    (keys + ["a", "b", "self", "ß"]).randomElement(using: &generator) ?? "a"
                }
                let members = Set(names).sorted().map { "\"\($0)\": \(json(depth))" }
                return "{\(members.joined(separator: ", "))}"
            }
            let text = object(5)
            do { _ = try lenient(text) } catch { throw CaseFailure("\(error)\nof \(text)") }
            // A strict one ends, too.
            _ = try? Schemas.source(text)
        }
    }
}
