/// What was read of a struct.
struct ModelShape {
    /// The struct's name.
    let name: String
    /// The type's name on the wire.
    let typeName: String
    let access: Access
    /// It stands within another type.
    let isNested: Bool
    /// Its id, fields and local properties, as declared.
    let properties: [StoredProperty]
    let id: StoredProperty
    /// There is an initialiser with the labels of the memberwise one.
    let hasOwnInit: Bool
    /// There is a property `description`, of whatever kind.
    let hasOwnDescription: Bool

    /// In the order of the static `properties`.
    var fields: [StoredProperty] { properties.filter { $0.role == .field } }
    var constants: [StoredProperty] { fields.filter(\.isConstant) }
    /// Fields that may be nil because they are unknown, with their places in `properties`.
    var tracked: [(place: Int, field: StoredProperty)] {
        fields.enumerated().filter { $1.isTracked }.map { ($0, $1) }
    }

    /// A field is called `description`: then nothing generated is.
    var hasDescriptionField: Bool { fields.contains { $0.plainName == "description" } }

    /// What stands before a property of `Partial` or `Constants`.
    func access(to property: StoredProperty) -> String {
        access == .file ? "" : min(property.access, access).ofProperty
    }

    /// The stored property with the unknown fields.
    var unread: String { properties.contains { $0.plainName == "unread" } ? "unreadFields" : "unread" }
}
