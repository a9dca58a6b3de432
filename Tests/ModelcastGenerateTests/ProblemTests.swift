import ModelcastGenerate
import Testing

/// What has no form in Swift: where it stands, and what to do.
@Suite struct `Problems of schemas` {
    @Test(arguments: [
        (#"{"allOf": []}"#, "/allOf", "has no parts"),
        (#"{"anyOf": []}"#, "/anyOf", "use oneOf"),
        (#"{"type": "string", "not": {}}"#, "/not", "say what the value is"),
        (#"{"type": "string", "if": {}}"#, "/if", "check where the model is made"),
        (#"{"type": "string", "pattern": "a("}"#, "/pattern", "no regular expression"),
        (#"{"type": "integer", "multipleOf": 0}"#, "/multipleOf", "correct it"),
        (#"{"type": "integer", "multipleOf": 0.5}"#, "/multipleOf", "correct it"),
        (#"{"type": "array", "contains": {}}"#, "/contains", "take it out"),
        (
            #"{"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": "integer"}}}]}"#,
            "/allOf/1/properties/a/type", "says something else of type"
        ),
        (##"{"allOf": [{"$ref": "#/properties/it"}, {"properties": {"a": {}}}]}"##, "", "made of itself"),
        (
            ##"{"oneOf": [{"const": 1}, {"title": "b", "allOf": [{"$ref": "#/properties/it"}, {}]}]}"##,
            "/oneOf/1", "made of itself"
        ),
        (#"{"x-modelcast-swift": "a b!"}"#, "/x-modelcast-swift", "no type of Swift"),
        (#"{"type": "integer", "minLength": 2}"#, "/minLength", "means nothing here"),
        (#"{"type": "string", "requried": true}"#, "/requried", "put x- before a keyword of your own"),
        (#"{"type": "string", "x-modelcast-nam": "a"}"#, "/x-modelcast-nam", "see the table"),
        (#"{"type": "object", "patternProperties": {}}"#, "/patternProperties", "additionalProperties"),
        (#"{"type": "array", "prefixItems": []}"#, "/prefixItems", "use an object"),
        (#"{"type": "array", "uniqueItems": "yes"}"#, "/uniqueItems", "true or false"),
        (#"{"type": ["string", "integer"]}"#, "/type", "use oneOf"),
        (#"{"type": "text"}"#, "/type", "is no type"),
        (#"{"type": "null"}"#, "", "only be null"),
        (#"{"type": "string", "nullable": "yes"}"#, "/nullable", "true or false"),
        (#"{"type": "string", "format": "date-time", "maxLength": 3}"#, "/maxLength", "take it out"),
        (#"{"type": "string", "contentEncoding": "base32"}"#, "/contentEncoding", "base64"),
        (#"{"type": "integer", "minimum": 0.5}"#, "/minimum", "correct it"),
        (#"{"type": "integer", "minimum": 5, "maximum": 2}"#, "", "nothing is within"),
        (#"{"type": "integer", "minimum": 5, "exclusiveMinimum": 5}"#, "/exclusiveMinimum", "keep one"),
        (#"{"type": "string", "maxLength": -1}"#, "/maxLength", "0 or more"),
        (
            #"{"type": "array", "items": {"oneOf": [{"title": "a", "type": "integer"}, {"title": "b"}]}}"#,
            "/items", "put it into an object"
        ),
        (#"{"type": "array", "items": {"type": "string", "default": ""}}"#, "/items/default", "take it out"),
        (
            #"{"type": "object", "additionalProperties": {"type": "string", "format": "date-time"}}"#, "",
            "a dictionary has no dates"
        ),
        (#"{"type": "object", "additionalProperties": false}"#, "/additionalProperties", "says nothing"),
        (
            #"{"properties": {"a": {}}, "additionalProperties": {}}"#, "/additionalProperties",
            "a property for the others"
        ),
        (#"{"properties": {}}"#, "/properties", "declare one"),
        (#"{"properties": {"a": {}}, "required": ["b"]}"#, "/required/0", "there is no such property"),
        (#"{"properties": {"a.b": {}}}"#, "/properties/a.b", "put the property into an object"),
        (#"{"properties": {"a/b~c": {"type": "x"}}}"#, "/properties/a~1b~0c/type", "is no type"),
        (#"{"properties": {"a_b": {}, "aB": {}}}"#, "/properties/aB", "both called aB"),
        (#"{"properties": {"1": {}}}"#, "/properties/1", "x-modelcast-name"),
        (#"{"properties": {"a": {"x-modelcast-constant": true}}}"#, "/properties/a/x-modelcast-constant", "of a model"),
        (#"{"type": "string", "default": 1}"#, "/default", "is no String"),
        (#"{"enum": ["a"], "default": "b"}"#, "/default", "is no It"),
        (#"{"type": "string", "format": "uuid", "default": "b"}"#, "/default", "is no UUID"),
        (#"{"type": "string", "default": null}"#, "/default", "correct one of the two"),
        (#"{"properties": {"a": {}}, "default": {}}"#, "/default", "give its properties some"),
        (#"{"enum": []}"#, "", "correct them"),
        (#"{"enum": ["a", 1]}"#, "", "correct them"),
        (#"{"enum": ["a", "A"]}"#, "/enum/1", "both called a"),
        (#"{"enum": ["1st"]}"#, "/enum/0", "x-modelcast-names"),
        (#"{"enum": ["a"], "x-modelcast-names": {"b": "c"}}"#, "/x-modelcast-names/b", "there is no value"),
        (#"{"type": "integer", "enum": ["a"]}"#, "/type", "not of this type"),
        (#"{"title": "Thing", "enum": ["a"]}"#, "", "another name with title"),
        (#"{"title": "String", "enum": ["a"]}"#, "", "another name with title"),
        (#"{"oneOf": []}"#, "/oneOf", "give it some"),
        (#"{"anyOf": [{"type": "string"}, {"type": "integer"}]}"#, "/anyOf", "use oneOf"),
        (#"{"oneOf": [{"type": "string"}, {"type": "integer"}]}"#, "/oneOf/1", "give it a title"),
        (
            #"{"oneOf": [{"title": "A", "type": "string", "maxLength": 2}, {"const": "b"}]}"#, "/oneOf/0",
            "put it into an object"
        ),
        (
            #"{"oneOf": [{"title": "A", "type": "string"}, {"title": "a", "type": "integer"}]}"#, "/oneOf/1",
            "another title"
        ),
        (
            #"{"discriminator": {"propertyName": "k"}, "oneOf": [{"properties": {"a": {}}}, {"const": "b"}]}"#,
            "/oneOf/0", "no const k"
        ),
        (#"{"$ref": "other.json"}"#, "/$ref", "name it on the command line"),
        (##"{"$ref": "#/$defs/none"}"##, "/$ref", "put the schema there"),
        (##"{"$ref": "#name"}"##, "/$ref", "#/$defs/NAME"),
        (##"{"$ref": "#", "minimum": 1}"##, "/minimum", "means nothing here"),
        (
            #"{"type": "string", "x-modelcast-reference": "common.schema.json"}"#, "/x-modelcast-reference",
            "is no model"
        ),
        (#"{"type": "integer", "x-modelcast-id": true}"#, "", "each model has an id"),
        ("false", "", "an object, or true"),
    ])
    func `of a property`(schema: String, place: String, advice: String) {
        let isID = schema.contains("x-modelcast-id")
        let problems = Schemas.problems(Schemas.model(schema, isRequired: !isID), beside: Schemas.others)
        #expect(problems.contains { $0.hasPrefix("/properties/it\(place): ") && $0.contains(advice) }, "\(problems)")
    }

    @Test(arguments: [
        ("[]", "", "a schema is an object"),
        ("{}", "", "declares nothing"),
        (#"{"type": "string"}"#, "", "put all else in $defs"),
        (#"{"$defs": {"a": {"type": "string"}}, "x-modelcast-type": "b"}"#, "/x-modelcast-type", "means nothing here"),
        ("{\"a\": 1", "", "the text ends too early"),
        (#"{"properties": {"id": {"type": "string"}}}"#, "/properties/id", "add it to required"),
        (#"{"properties": {"id": {"type": "number"}}, "required": ["id"]}"#, "/properties/id", "correct its type"),
        (
            #"{"properties": {"id": {"type": "string", "minLength": 1}}, "required": ["id"]}"#, "/properties/id",
            "take bounds"
        ),
        (
            #"{"properties": {"id": {}, "key": {"type": "string", "x-modelcast-id": true}}, "required": ["key"]}"#,
            "/properties/id", "the name of the id"
        ),
        (
            #"{"properties": {"id": {"type": "string"}, "model": {}}, "required": ["id"]}"#, "/properties/model",
            "@Model needs the name model"
        ),
        (
            #"{"x-modelcast-type": "a b", "properties": {"id": {"type": "string"}}, "required": ["id"]}"#,
            "/x-modelcast-type", "1 to 64 of"
        ),
        (#"{"title": "CellRecord", "enum": ["a"]}"#, "", "x-modelcast-name"),
        (#"{"x-modelcast-access": "open", "enum": ["a"]}"#, "/x-modelcast-access", "is not public"),
        (#"{"$defs": {"a": {"enum": ["a"]}, "A": {"enum": ["a"]}}}"#, "/$defs/A", "another name"),
        (##"{"$defs": {"a": {"$ref": "#/$defs/a"}}}"##, "/$defs/a/$ref", "without end"),
        (
            ##"{"$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}}"##, "/$defs/a/items/$ref",
            "without end"
        ),
        (#"{"x-modelcast-name": "class", "enum": ["a"]}"#, "/x-modelcast-name", "no name of a type"),
        (
            """
            {"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/b"}}},
                       "b": {"oneOf": [{"const": "c"}, {"title": "d", "$ref": "#/$defs/a"}]}}}
            """, "/$defs/a/properties/b", "fields without end"
        ),
        (
            """
            {"$defs": {"a": {"properties": {"b": {"type": "array", "items":
              {"type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/a"}}}}}}}
            """, "/$defs/a/properties/b", "take the bounds out"
        ),
        (
            ##"{"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/a"}}}}}"##, "/$defs/a/properties/b",
            "into an array"
        ),
        (#"{"x-modelcast-imports": "Money", "enum": ["a"]}"#, "/x-modelcast-imports", "an array of names"),
    ])
    func `of a file`(schema: String, place: String, advice: String) {
        let problems = Schemas.problems(schema)
        #expect(problems.contains { $0.hasPrefix("\(place): ") && $0.contains(advice) }, "\(problems)")
    }

    @Test func `all problems are told, in the order of files, each once`() {
        let problems = Schemas.problems(
            """
            {"properties": {"a": {"type": "x"}, "b": {"$ref": "b.json"}, "c": {"$ref": "b.json"}, "d": {"not": {}}}}
            """, named: "a.json", beside: ["b.json": #"{"enum": ["1"]}"#, "c.json": "{"])
        #expect(
            problems.map { String($0.prefix { $0 != ":" }) }
                == ["c.json", "/properties/a/type", "b.json/enum/0", "/properties/d/not"])
    }

    @Test func `two schemas cannot declare one type, or make one file`() {
        let schema = #"{"title": "A", "enum": ["a"]}"#
        #expect(Schemas.problems(schema, named: "a.json", beside: ["b.json": schema]).count == 1)
        let problems = Schemas.problems(schema, named: "a.json", beside: ["x/a.json": #"{"enum": ["b"]}"#])
        #expect(problems.contains { $0.contains("is made of") })
    }

    @Test func `a problem says file, line, column and advice in one line`() throws {
        let problem = SchemaProblem(file: "a/b.json", line: 2, column: 7, pointer: "/x", "wrong: do this")
        #expect("\(problem)" == "a/b.json:2:7: wrong: do this (#/x)")
        #expect("\(SchemaProblem(file: "b.json", pointer: "", "wrong"))" == "b.json: wrong")
        let text = """
            {
              "properties": {
                "ä": {"type": "string"}, "a": {"type": "x"}, "b": {"enum": ["a",
                  "1"]}
              }
            }
            """
        let problems = #expect(throws: SchemaProblems.self) { try Schemas.source(text) }
        #expect(problems?.problems.map { [$0.line, $0.column] } == [[3, 37], [4, 7]])
        let broken = #expect(throws: SchemaProblems.self) { try Schemas.source("{\n  \"a\": ]") }
        #expect(broken?.description == "thing.schema.json:2:8: is no JSON: expected a value")
    }
}
