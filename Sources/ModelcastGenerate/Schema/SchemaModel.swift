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

    /// The name of the type on the wire.
    public let type: String
    /// The key of the id in JSON.
    public let idKey: String
    /// The kind of the id.
    public let idKind: IDKind

    /// The model of a struct; nil where that is none.
    init?(_ shape: StructShape) {
        guard let type = shape.wireType, let id = shape.properties.first(where: { $0.role == .id }) else { return nil }
        (self.type, idKey) = (type, id.wireName)
        switch id.type {
        case .plain("String"): idKind = .text
        case .uuid: idKind = .uuid
        default: idKind = .integer
        }
    }
}
