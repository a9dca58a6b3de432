/// A model of a schema, for a process that publishes it without Swift types: its name, and its ids.
public struct SchemaModel: Hashable, Sendable {
    /// The kind of an id. On the wire each is a text.
    public enum IDKind: Sendable {
        /// A text.
        case text
        /// An integer, a number in JSON.
        case integer
        /// A UUID, a text in JSON.
        case uuid
    }

    /// The form of an object in JSON that is no group of fields.
    public enum ObjectForm: Hashable, Sendable {
        /// The value of one field: a dictionary, a struct that is one value, or anything.
        case value
        /// One of several groups of fields; the member of this name tells which.
        case tagged(String)
        /// One of several groups of fields, which nothing in it tells.
        case untagged
    }

    /// The name of the type on the wire.
    public let type: String
    /// The key of the id in JSON.
    public let idKey: String
    /// The kind of the id.
    public let idKind: IDKind
    /// The paths at which objects in JSON are no groups of fields.
    public let objects: [String: ObjectForm]

    /// The model of a struct; nil where that is none.
    /// - Parameter others: the types of all files, by their names.
    init?(_ shape: StructShape, among others: [String: TypeShape]) {
        guard let type = shape.wireType, let id = shape.properties.first(where: { $0.role == .id }) else { return nil }
        (self.type, idKey) = (type, id.wireName)
        switch id.type {
        case .plain("String"): idKind = .text
        case .uuid: idKind = .uuid
        default: idKind = .integer
        }
        var objects = ObjectForms()
        objects.add(shape, at: "", others, depth: 0)
        self.objects = objects.byPath
    }
}

/// The forms of the objects in a model, while they are collected.
private struct ObjectForms {
    var byPath: [String: SchemaModel.ObjectForm] = [:]

    /// Deeper groups than a line may have objects in each other are not met.
    private static let depthMax = 16

    mutating func add(_ shape: StructShape, at path: String, _ scope: [String: TypeShape], depth: Int) {
        let scope = scope.merging(shape.nested.map { ($0.name, $0) }) { $1 }
        for property in shape.properties {
            add(
                property.type, at: path.isEmpty ? property.wireName : "\(path).\(property.wireName)", scope,
                depth: depth)
        }
    }

    private mutating func add(_ type: SwiftType, at path: String, _ scope: [String: TypeShape], depth: Int) {
        switch type {
        case .optional(let wrapped): add(wrapped, at: path, scope, depth: depth)
        case .dictionary, .value, .own: byPath[path] = .value
        case .group(let name):
            guard depth < ObjectForms.depthMax else { return }
            switch scope[name] {
            case .structure(let shape) where shape.isValue: byPath[path] = .value
            case .structure(let shape): add(shape, at: path, scope, depth: depth + 1)
            case .oneOf(let shape): add(shape, at: path, scope, depth: depth + 1)
            case .enumeration, nil: break
            }
        case .plain, .date, .url, .uuid, .data, .enumeration, .reference, .array: break
        }
    }

    private mutating func add(_ shape: OneOfShape, at path: String, _ scope: [String: TypeShape], depth: Int) {
        byPath[path] = shape.tag.map { .tagged($0) } ?? .untagged
        let scope = scope.merging(shape.nested.map { ($0.name, $0) }) { $1 }
        for element in shape.cases {
            if let payload = element.payload { add(payload, at: "\(path).\(element.wireName)", scope, depth: depth) }
        }
    }
}
