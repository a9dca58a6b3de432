import Foundation
import TestSupport
import Testing

/// `modelcast publish --schema`, with the real executable.
@Suite(.serialized) struct SchemaOptionTests {
    private static let stock = """
        {"x-modelcast-type": "stock", "type": "object", "required": ["number"],
         "properties": {"number": {"type": "integer", "x-modelcast-id": true}, "name": {"type": "string"}}}
        """
    private static let user = """
        {"title": "User", "type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
        """

    /// Publishes lines of these schemas and ends at once.
    private func publish(
        _ schemas: [String], _ arguments: [String] = [], input: String = ""
    ) throws -> (command: RunningCommand, folder: TemporaryDirectory) {
        let folder = try TemporaryDirectory()
        var options = ["publish", "--name", "p", "--bind", "tcp://127.0.0.1:*"] + arguments
        for (index, schema) in schemas.enumerated() {
            let file = folder.path("\(index).schema.json")
            try schema.write(toFile: file, atomically: false, encoding: .utf8)
            options += ["--schema", file]
        }
        return (try RunningCommand(options, input: input), folder)
    }

    @Test func `a schema says the type, the field with the id, and that ids are numbers`() async throws {
        let (publisher, folder) = try publish(
            [Self.stock], input: "{\"number\": 7, \"name\": \"Lamp\"}\n{\"number\": \"x\"}\n")
        let endpoint = try await publisher.endpoint()
        let isRead = await eventually { publisher.error.contains("1 published") }
        try #require(isRead, "\(publisher.error)")
        #expect(publisher.error.contains("1 refused") && publisher.error.contains("is no integer of 64 bits"))
        let get = try RunningCommand(["get", "--connect", endpoint, "stock", "7"])
        #expect(try await get.exitCode() == 0)
        #expect(get.objects.first?["model"] as? NSDictionary == ["name": "Lamp"])
        publisher.signal(SIGTERM)
        #expect(try await publisher.exitCode() == 0)
        withExtendedLifetime(folder) {}
    }

    private static let customer = """
        {"title": "Customer", "type": "object", "required": ["id"], "properties": {
          "id": {"type": "string"},
          "address": {"type": "object", "properties": {
            "city": {"type": "string"}, "tags": {"type": "object", "additionalProperties": {"type": "integer"}}}},
          "labels": {"type": "object", "additionalProperties": {"type": "string"}},
          "extra": {},
          "contact": {"oneOf": [
            {"title": "Phone", "type": "object", "required": ["kind", "number"],
             "properties": {"kind": {"const": "phone"}, "number": {"type": "string"}}},
            {"title": "Post", "type": "object", "required": ["kind", "street"],
             "properties": {"kind": {"const": "post"}, "street": {"type": "string"}}}]},
          "way": {"oneOf": [
            {"title": "Road", "type": "object", "required": ["road"], "properties": {"road": {"type": "string"}}},
            {"title": "Rail", "type": "object", "required": ["rail"], "properties": {"rail": {"type": "string"}}}]}}}
        """

    @Test func `objects of which a schema says that they are one value or one of several are published so`()
        async throws
    {
        let line = """
            {"id": "1", "address": {"city": "London", "tags": {"a": 1}}, "labels": {"x.y": "z"}, \
            "extra": {"b": {"c": 2}}, "contact": {"kind": "post", "street": "S"}}
            {"id": "2", "way": {"road": "A1"}}
            {"id": "3", "contact": {"street": "S"}}
            {"id": "4", "contact": "phone", "contact.phone.number": "+1"}

            """
        let (publisher, folder) = try publish([Self.customer], input: line)
        let endpoint = try await publisher.endpoint()
        let isRead = await eventually { publisher.error.contains("2 published") }
        try #require(isRead, "\(publisher.error)")
        #expect(publisher.error.contains("\"way\" is one of several objects, and nothing in it says which"))
        #expect(publisher.error.contains("\"contact\" has no text \"kind\""))
        let get = try RunningCommand(["get", "--connect", endpoint, "Customer", "1", "4"])
        #expect(try await get.exitCode() == 0)
        let models = get.objects.map { $0["model"] as? NSDictionary }
        let first: NSDictionary = [
            "address": ["city": "London", "tags": ["a": 1]] as NSDictionary, "labels": ["x.y": "z"],
            "extra": ["b": ["c": 2]],
            "contact": "post", "contact.post.street": "S",
        ]
        #expect(models == [first, ["contact": "phone", "contact.phone.number": "+1"]])
        publisher.signal(SIGTERM)
        #expect(try await publisher.exitCode() == 0)
        withExtendedLifetime(folder) {}
    }

    static let wrong: [(schemas: [String], arguments: [String], says: String)] = [
        ([user, stock], [], "several models: pick one with --type, of User, stock"),
        ([user, stock], ["--type", "Order"], "no model Order, but User, stock"),
        ([#"{"type": "string"}"#], [], "no model: no root object with an id"),
        (["{"], [], "0.schema.json:1:"),
        (
            [#"{"title": "User", "type": "object", "properties": {"id": {"type": "string"}}}"#], [],
            "each model has an id: add it to required"
        ),
    ]

    @Test(arguments: wrong.indices)
    func `a schema that does not say which model is meant is exit code 1, with what to do`(index: Int) async throws {
        let (schemas, arguments, says) = Self.wrong[index]
        let (publisher, folder) = try publish(schemas, arguments)
        #expect(try await publisher.exitCode() == 1)
        #expect(publisher.error.contains(says), "\(publisher.error)")
        withExtendedLifetime(folder) {}
    }

    @Test func `of several models --type picks one, and other options stand above the schema`() async throws {
        let (publisher, folder) = try publish(
            [Self.user, Self.stock], ["--type", "stock", "--id-type", "text"], input: "{\"number\": \"x\"}\n")
        let isRead = await eventually { publisher.error.contains("1 published") }
        #expect(isRead, "\(publisher.error)")
        publisher.signal(SIGTERM)
        #expect(try await publisher.exitCode() == 0)
        withExtendedLifetime(folder) {}
    }
}
