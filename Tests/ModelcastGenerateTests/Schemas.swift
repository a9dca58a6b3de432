import ModelcastGenerate

/// Schemas of tests, from their text.
enum Schemas {
    /// The source for one schema among others.
    static func source(
        _ text: String, named name: String = "thing.schema.json", beside others: [String: String] = [:],
        access: GeneratedAccess = .internal
    ) throws -> String {
        let all = others.merging([name: text]) { $1 }
        let files = try Generator(access: access).generate(all.map { SchemaFile(path: $0.key, text: $0.value) })
        let file = files.first { "\($0.name.dropLast(6)).json" == name }
        return file?.text ?? ""
    }

    /// The source below the imports.
    static func body(
        _ text: String, named name: String = "thing.schema.json", beside others: [String: String] = [:]
    ) throws -> String {
        let source = try source(text, named: name, beside: others)
        let parts = source.split(separator: "import ModelcastMacros\n\n", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : ""
    }

    /// A model with one property `it`, and an id.
    static func model(_ property: String, isRequired: Bool = true, definitions: String = "{}") -> String {
        """
        {"type": "object", "properties": {"it": \(property), "id": {"type": "string"}},
         "required": ["id"\(isRequired ? ", \"it\"" : "")], "$defs": \(definitions)}
        """
    }

    /// The line of the property `it`.
    static func line(_ property: String, isRequired: Bool = true, definitions: String = "{}") throws -> String {
        let text = try source(model(property, isRequired: isRequired, definitions: definitions), beside: others)
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        return lines.first { $0.contains(" it: ") || $0.hasPrefix("var it: ") }.map(String.init) ?? ""
    }

    /// What else is there.
    static let others = [
        "user.schema.json": #"{"properties": {"id": {"type": "string", "format": "uuid"}}, "required": ["id"]}"#,
        "common.schema.json": """
        {"$defs": {
          "address": {"properties": {"street": {"type": "string"}}},
          "colour": {"enum": ["red", "dark-blue"]},
          "when": {"type": "string", "format": "date-time"},
          "percent": {"type": "integer", "minimum": 0, "maximum": 100}
        }}
        """,
    ]

    /// What is wrong, each as `POINTER: MESSAGE`.
    static func problems(
        _ text: String, named name: String = "thing.schema.json", beside others: [String: String] = [:]
    ) -> [String] {
        do {
            _ = try source(text, named: name, beside: others)
            return []
        } catch let problems as SchemaProblems {
            return problems.problems.map { "\($0.file == name ? "" : $0.file)\($0.pointer): \($0.message)" }
        } catch {
            return ["\(error)"]
        }
    }
}
