import Foundation
import ModelRecord
import TestSupport

/// Documents made at random that are valid by the schemas beside this file.
struct RandomDocuments {
    private let files: [String: Value]

    init() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Schemas")
        var files: [String: Value] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)) {
            let data = try Data(contentsOf: folder.appending(path: name))
            files[name] = try JSONDecoder().decode(Value.self, from: data)
        }
        self.files = files
    }

    /// A document of the model that a file declares.
    func document(of file: String, using generator: inout SeededGenerator) throws -> Value {
        try object(Node(file, root(of: file)), depth: 0, using: &generator)
    }

    // MARK: Schemas

    /// A schema, and the file that it stands in.
    private struct Node {
        let file: String
        let schema: Value

        init(_ file: String, _ schema: Value) { (self.file, self.schema) = (file, schema) }

        subscript(key: String) -> Node? { schema.members[key].map { Node(file, $0) } }
        var members: [(key: String, node: Node)] {
            schema.members.sorted { $0.key < $1.key }.map { ($0.key, Node(file, $0.value)) }
        }
        var elements: [Node] { schema.elements.map { Node(file, $0) } }
        func text(_ key: String) -> String? { schema.members[key]?.textValue }
        func number(_ key: String) -> Double? {
            switch schema.members[key] {
            case .int(let number)?: Double(number)
            case .double(let number)?: number
            default: nil
            }
        }
        /// The name of the property that is a model's id.
        var idKey: String? {
            guard let properties = self["properties"] else { return nil }
            let marked = properties.members.first { $0.node.schema.members["x-modelcast-id"] == .bool(true) }
            return marked?.key ?? (properties["id"] == nil ? nil : "id")
        }
    }

    private func root(of file: String) throws -> Value {
        guard let root = files[file] else { throw CaseFailure("there is no schema \(file)") }
        return root
    }

    /// The schema that a reference points to.
    /// - Returns: with true where that is a whole file.
    private func target(_ reference: String, from file: String) throws -> (node: Node, isRoot: Bool) {
        let parts = reference.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        let name = parts[0].isEmpty ? file : parts[0]
        var node = Node(name, try root(of: name))
        let path = (parts.count > 1 ? parts[1] : "").split(separator: "/").map(String.init)
        if path.count == 1, !(parts.last ?? "").hasPrefix("/") {
            let named = node["$defs"]?.members.first { $0.node.text("$anchor") == path[0] }
            return (try named?.node ?? { throw CaseFailure("there is no \(reference)") }(), false)
        }
        for key in path {
            guard let next = node[key] else { throw CaseFailure("there is no \(reference)") }
            node = next
        }
        return (node, path.isEmpty)
    }

    // MARK: Values

    private func value(_ node: Node, depth: Int, using generator: inout SeededGenerator) throws -> Value {
        if let examples = node["examples"]?.schema.elements, let one = examples.randomElement(using: &generator) {
            return one
        }
        if let reference = node.text("$ref"), node["properties"] == nil {
            let (target, isRoot) = try target(reference, from: node.file)
            // A model is referred to by its id.
            if isRoot, let key = target.idKey, let id = target["properties"]?[key] {
                return try value(id, depth: depth, using: &generator)
            }
            return try value(target, depth: depth, using: &generator)
        }
        if let constant = node["const"] { return constant.schema }
        if let values = node["enum"]?.schema.elements, let value = values.randomElement(using: &generator) {
            return value
        }
        if let variants = node["oneOf"] ?? node["anyOf"] {
            return try variant(of: variants.elements, depth: depth, using: &generator)
        }
        var types =
            node["type"].map { $0.schema.textValue.map { [$0] } ?? $0.schema.elements.compactMap(\.textValue) } ?? []
        if node.schema.members["nullable"] == .bool(true) { types.append("null") }
        if types.isEmpty, node["properties"] ?? node["allOf"] != nil { types = ["object"] }
        switch types.randomElement(using: &generator) {
        case "null": return .null
        case "boolean": return .bool(.random(using: &generator))
        case "integer": return .int(integer(node, using: &generator))
        case "number": return .double(number(node, using: &generator))
        case "string": return .text(text(node, using: &generator))
        case "array": return .array(try array(node, depth: depth, using: &generator))
        case "object": return try object(node, depth: depth, using: &generator)
        default: return anything(depth: 2, using: &generator)
        }
    }

    private func variant(
        of variants: [Node], depth: Int, using generator: inout SeededGenerator
    ) throws -> Value {
        // A variant that takes anything leaves nothing to the others, as one alone may fit.
        let words: Set = ["title", "description", "x-modelcast-name"]
        if variants.contains(where: { words.isSuperset(of: $0.schema.members.keys) }) {
            return .int(.random(in: 0...9, using: &generator))
        }
        guard let variant = variants.randomElement(using: &generator) else { throw CaseFailure("no variant") }
        return try value(variant, depth: depth, using: &generator)
    }

    private func object(_ node: Node, depth: Int, using generator: inout SeededGenerator) throws -> Value {
        var members: [String: Value] = [:]
        // Of a property that several parts have, the last part asks for the least.
        let base = node["$ref"].map { [Node(node.file, ["$ref": $0.schema])] } ?? []
        for part in (node["allOf"]?.elements ?? []) + base {
            let whole = try part.text("$ref").map { try target($0, from: part.file).node } ?? part
            guard case .map(let inner) = try object(whole, depth: depth, using: &generator) else { continue }
            members.merge(inner) { first, _ in first }
        }
        let required = Set((node["required"]?.schema.elements ?? []).compactMap(\.textValue))
        for (key, property) in node["properties"]?.members ?? [] {
            // What may be left out ends a tree, which a record takes to a depth of 16 only.
            guard required.contains(key) || depth < 4 && Bool.random(using: &generator) else { continue }
            members[key] = try value(property, depth: depth + 1, using: &generator)
        }
        switch node["additionalProperties"] {
        case let more? where more.schema.isMap:
            let most = Int(node.number("maxProperties") ?? 4)
            for _ in 0..<Int.random(in: 0...min(most, 4), using: &generator) {
                members[.random(lengths: 0...8, using: &generator)] = try value(
                    more, depth: depth + 1, using: &generator)
            }
        case nil:
            // Nothing in a schema speaks against more keys.
            if Int.random(in: 0..<4, using: &generator) == 0 {
                members["no such key"] = anything(depth: 1, using: &generator)
            }
        default: break
        }
        return .map(members)
    }

    private func array(_ node: Node, depth: Int, using generator: inout SeededGenerator) throws -> [Value] {
        let least = Int(node.number("minItems") ?? 0)
        let most = min(Int(node.number("maxItems") ?? 3), least + 3)
        let elements = try (0..<Int.random(in: least...most, using: &generator)).map { _ in
            try node["items"].map { try value($0, depth: depth, using: &generator) }
                ?? anything(depth: 1, using: &generator)
        }
        guard node.schema.members["uniqueItems"] == .bool(true) else { return elements }
        return elements.enumerated().filter { !elements[..<$0].contains($1) }.map(\.element)
    }

    private func integer(_ node: Node, using generator: inout SeededGenerator) -> Int64 {
        if let factor = node.number("multipleOf").flatMap({ Int64(exactly: $0) }), let most = node.number("maximum") {
            return factor * .random(in: 0...Int64(most) / factor, using: &generator)
        }
        let isShort = node.text("format") == "int32"
        let (low, high) = isShort ? (Int64(Int32.min), Int64(Int32.max)) : (Int64.min, .max)
        let least = node.number("minimum").map { Int64(exactly: $0) ?? low } ?? low
        let most = node.number("maximum").map { Int64(exactly: $0) ?? high } ?? high
        let above = node.number("exclusiveMinimum").map { Int64($0) + 1 } ?? low
        let range = max(least, above)...most
        let near = range.clamped(to: -9...9)
        return Bool.random(using: &generator)
            ? .random(in: near, using: &generator) : .random(in: range, using: &generator)
    }

    private func number(_ node: Node, using generator: inout SeededGenerator) -> Double {
        if let factor = node.number("multipleOf") {
            return (Double(Int.random(in: -99_999...99_999, using: &generator)) * factor * 100).rounded() / 100
        }
        let least = node.number("minimum") ?? node.number("exclusiveMinimum") ?? -1000
        let most = node.number("maximum") ?? node.number("exclusiveMaximum") ?? 1000
        // A power of two and its halves are exact in any width. Neither end is hit.
        return least + (most - least) * Double(Int.random(in: 1...31, using: &generator)) / 32
    }

    private func text(_ node: Node, using generator: inout SeededGenerator) -> String {
        func uuid() -> String {
            let digits = (0..<12).map { _ in String(Int.random(in: 0..<16, using: &generator), radix: 16) }.joined()
            let text = "2b5a3c1e-0000-4000-8000-\(digits)"
            return Bool.random(using: &generator) ? text : text.uppercased()
        }
        if node.text("contentEncoding") == "base64" || node.text("format") == "byte" {
            let bytes = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            return Data(bytes).base64EncodedString()
        }
        switch node.text("format") {
        case "date-time":
            let day = String(Int.random(in: 10...28, using: &generator))
            let zone = ["Z", "+01:00", "-05:30", ".25Z", ".123+00:00"].randomElement(using: &generator) ?? "Z"
            return "20\(day)-02-\(day)T0\(Int.random(in: 0...9, using: &generator)):00:07\(zone)"
        case "uri": return "https://example.org/\(Int.random(in: 0...999, using: &generator))?q=%20#x"
        case "uuid": return uuid()
        default:
            // Ids are not empty.
            let least = Int(node.number("minLength") ?? 1)
            let most = min(Int(node.number("maxLength") ?? 40), least + 20)
            return .random(lengths: least...most, using: &generator)
        }
    }

    private func anything(depth: Int, using generator: inout SeededGenerator) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .int(.random(in: -99...99, using: &generator))
        case 3: .text(.random(lengths: 0...9, using: &generator))
        case 4: .array([anything(depth: depth - 1, using: &generator)])
        default: .map([.random(lengths: 0...9, using: &generator): anything(depth: depth - 1, using: &generator)])
        }
    }
}

extension Value {
    fileprivate var members: [String: Value] { if case .map(let members) = self { members } else { [:] } }
    fileprivate var elements: [Value] { if case .array(let elements) = self { elements } else { [] } }
    fileprivate var isMap: Bool { if case .map = self { true } else { false } }
}
