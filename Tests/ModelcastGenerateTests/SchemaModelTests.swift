import ModelcastGenerate
import Testing

/// What a schema tells of models to whoever has no Swift types for them.
@Suite struct SchemaModelTests {
    @Test(arguments: [
        (#"{"type": "string"}"#, SchemaModel.IDKind.text), (#"{"type": "integer"}"#, .integer),
        (#"{"type": "integer", "format": "int32"}"#, .integer), (#"{"type": "string", "format": "uuid"}"#, .uuid),
    ])
    func `the kind of the id is that of its schema`(id: String, kind: SchemaModel.IDKind) throws {
        let schema = #"{"type": "object", "properties": {"id": \#(id), "a": {}}, "required": ["id"]}"#
        let models = try Generator().models(of: [SchemaFile(path: "big-user.schema.json", text: schema)])
        #expect(models.map(\.type) == ["BigUser"] && models.map(\.idKey) == ["id"] && models.map(\.idKind) == [kind])
    }

    @Test func `keywords name the id and the type, and what is no model is left out`() throws {
        let key = #"{"type": "string", "x-modelcast-id": true}"#
        let files = [
            SchemaFile(
                path: "b.schema.json",
                text: """
                    {"title": "Stock", "x-modelcast-type": "stock.v1", "type": "object", "required": ["symbol"],
                     "properties": {"symbol": \(key), "place": {"$ref": "a.schema.json#/$defs/place"}},
                     "$defs": {"note": {"type": "object", "properties": {"text": {"type": "string"}}}}}
                    """),
            SchemaFile(path: "a.schema.json", text: #"{"$defs": {"place": {"type": "object", "properties": {}}}}"#),
        ]
        let models = try Generator(isLenient: true).models(of: files)
        #expect(models.map(\.type) == ["stock.v1"] && models.map(\.idKey) == ["symbol"])
    }

    @Test func `a schema that is none is an error with its place`() {
        let error = #expect(throws: SchemaProblems.self) {
            try Generator(isLenient: true).models(of: [SchemaFile(path: "a.schema.json", text: "{")])
        }
        #expect(error?.description.hasPrefix("a.schema.json:1:") == true, "\(error?.description ?? "")")
    }
}
