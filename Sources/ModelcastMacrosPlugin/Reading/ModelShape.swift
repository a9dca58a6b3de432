/// A struct with `@Model`, as it was read.
struct ModelShape {
    /// The struct's name.
    let name: String
    /// The type's name on the wire.
    let typeName: String
    let access: Access
    /// The struct stands within another type.
    let isNested: Bool
    /// The id, fields and local properties, in the order of the declarations.
    let properties: [StoredProperty]
    let id: StoredProperty
    /// The struct has an initialiser with the labels of the memberwise one.
    let hasOwnInit: Bool
    /// The struct has an instance property `description`, of whatever kind.
    let hasOwnDescription: Bool

    /// The fields, in the order of the static `properties`.
    var fields: [StoredProperty] { properties.filter { $0.role == .field } }
    /// The expression of the id's name in JSON; nil for `id`.
    var idKey: String? { id.field == "id" ? nil : id.field.literal }
    var constants: [StoredProperty] { fields.filter(\.isConstant) }
    /// Fields that may be nil because they are unknown, with their places in `properties`.
    var tracked: [(place: Int, field: StoredProperty)] {
        fields.enumerated().filter { $1.isTracked }.map { ($0, $1) }
    }

    /// True when a field is called `description`: then no description is generated.
    var hasDescriptionField: Bool { fields.contains { $0.plainName == "description" } }

    /// The name of the stored property with the fields that were unknown when the model was read.
    var unread: String { properties.contains { $0.plainName == "unread" } ? "unreadFields" : "unread" }
}
