import Foundation

/// A file with a JSON Schema.
public struct SchemaFile: Sendable {
    /// The path as the caller gave it. Problems name the file by it, and references of other files are compared with
    /// it.
    public let path: String
    let bytes: [UInt8]

    /// A file with this text; nothing is read.
    /// - Parameter path: the path under which other files refer to this one; relative paths share one folder.
    public init(path: String, text: String) { (self.path, bytes) = (path, Array(text.utf8)) }

    /// Reads a file.
    /// - Throws: ``SchemaProblem`` if it cannot be read.
    public init(readingFrom path: String) throws(SchemaProblem) {
        do {
            bytes = Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw SchemaProblem(file: path, pointer: "", "cannot be read: \(SchemaFile.reason(of: error, path))")
        }
        self.path = path
    }

    private static func reason(of error: any Error, _ path: String) -> String {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        if (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true {
            return "it is a folder; name the files in it"
        }
        return switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile: "there is no such file"
        case .fileReadNoPermission: "it may not be read by this user"
        default: error.localizedDescription
        }
    }

    /// The last part of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The name of the file that is generated: `user.schema.json` becomes `user.schema.swift`.
    public var swiftName: String { (name.hasSuffix(".json") ? String(name.dropLast(5)) : name) + ".swift" }

    /// The name that a type gets if the schema gives none: `user` for `user.schema.json`.
    var stem: String { name.split(separator: ".").first.map(String.init) ?? name }
}

/// A file that has been parsed.
final class LoadedFile {
    let source: SchemaFile
    /// The path without `.` and `..`, for comparison.
    let location: String
    let root: JSON
    private let offsets: [JSONPointer: Int]
    /// The offset of each line.
    private let lineStarts: [Int]

    init(_ source: SchemaFile) throws(JSONSyntaxError) {
        self.source = source
        location = LoadedFile.standard(source.path)
        let parsed = try JSONParser.parse(source.bytes)
        (root, offsets) = (parsed.value, parsed.offsets)
        lineStarts = [0] + source.bytes.indices.filter { source.bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    var path: String { source.path }
    var node: SchemaNode { SchemaNode(file: self, pointer: JSONPointer(), value: root) }

    /// The line and column of a value, or of what is around it where there is none.
    func place(of pointer: JSONPointer) -> (line: Int, column: Int) {
        var pointer = pointer
        while offsets[pointer] == nil, !pointer.tokens.isEmpty { pointer.removeLast() }
        let offset = offsets[pointer] ?? 0
        // The last line that begins before it.
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return (low + 1, offset - lineStarts[low] + 1)
    }

    /// The location of a file that is named relative to this one.
    func location(of relative: String) -> String {
        if relative.hasPrefix("/") { return LoadedFile.standard(relative) }
        let folder = location.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return LoadedFile.standard((folder + [Substring(relative)]).joined(separator: "/"))
    }

    private static func standard(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }
}

/// A place in a schema, and the value there.
struct SchemaNode {
    let file: LoadedFile
    let pointer: JSONPointer
    let value: JSON
    /// The members that stand elsewhere, as parts of an `allOf` do.
    var parts: [String: SchemaNode] = [:]

    var object: JSONObject { value.object ?? JSONObject() }

    /// The file and the place as text: two nodes with the same key are the same place.
    var key: String { "\(file.location)#\(pointer)" }

    subscript(key: String) -> SchemaNode? {
        parts[key] ?? object[key].map { SchemaNode(file: file, pointer: pointer / key, value: $0) }
    }

    /// The members of an object.
    var members: [(key: String, node: SchemaNode)] {
        object.members.map { member in
            let node = parts[member.key]
            return (member.key, node ?? SchemaNode(file: file, pointer: pointer / member.key, value: member.value))
        }
    }

    /// The elements of an array.
    var elements: [SchemaNode] {
        (value.array ?? []).enumerated().map { place, element in
            parts["\(place)"] ?? SchemaNode(file: file, pointer: pointer / "\(place)", value: element)
        }
    }

    /// The schemas that stand in this one, one level below.
    var subschemas: [SchemaNode] {
        members.flatMap { key, member in
            if Keywords.ofSchemas.contains(key) { return member.members.map(\.node) }
            if Keywords.ofData.contains(key) { return [] }
            return member.value.object != nil ? [member] : member.elements
        }
    }

    func text(_ key: String) -> String? { object[key]?.text }
    func flag(_ key: String) -> Bool { object[key]?.bool ?? false }

    /// The types that the keyword `type` names, without `null`.
    var types: [String] {
        let named = object["type"].map { $0.text.map { [$0] } ?? $0.array?.compactMap(\.text) ?? [] } ?? []
        return named.filter { $0 != "null" }
    }

    /// True when the schema itself allows null.
    var allowsNull: Bool {
        flag("nullable") || object["type"]?.array?.contains(.text("null")) == true
            || object["enum"]?.array?.contains(.null) == true
            || variants(of: "oneOf").contains(where: \.isNull) || variants(of: "anyOf").contains(where: \.isNull)
    }

    private func variants(of keyword: String) -> [SchemaNode] { self[keyword]?.elements ?? [] }

    /// The variants of `oneOf`, without null.
    var variants: [SchemaNode] { variants(of: "oneOf").filter { !$0.isNull } }

    private var isNull: Bool { object["type"] == .text("null") }

    /// The only variant of `oneOf`, `anyOf` or `allOf`, apart from null: with one variant all three mean the same. Nil
    /// for other schemas.
    var wrapped: (keyword: String, only: SchemaNode)? {
        for keyword in ["oneOf", "anyOf", "allOf"] where self[keyword] != nil {
            if keyword == "allOf", !object.keys.allSatisfy(Keywords.besideAlias.contains) { return nil }
            let others = variants(of: keyword).filter { !$0.isNull }
            return others.count == 1 && self["properties"] == nil ? (keyword, others[0]) : nil
        }
        return nil
    }

    /// The node without some members.
    func without(_ keys: Set<String>) -> SchemaNode {
        var object = JSONObject()
        for member in self.object.members where !keys.contains(member.key) { object.append(member.key, member.value) }
        return SchemaNode(file: file, pointer: pointer, value: .object(object), parts: parts)
    }

    /// The members of `$defs`, and of `definitions`, its older name.
    var definitions: [(key: String, node: SchemaNode)] {
        (self["$defs"]?.members ?? []) + (self["definitions"]?.members ?? [])
    }
}
