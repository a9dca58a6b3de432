/// What was read of an enum with `@OneOf`.
struct OneOfShape {
    let access: Access
    let cases: [OneOfCase]
}

/// A case of an enum, and the fields of its payloads.
struct OneOfCase {
    /// A payload.
    struct Payload {
        /// As it is written.
        let label: String?
        let type: PropertyType
        /// What stands for a field that is unknown or null.
        let defaultValue: String?
        /// The field's name on the wire.
        let field: String
    }

    /// As it is written, backticks included.
    let name: String
    /// Its name on the wire.
    let wireName: String
    let payloads: [Payload]
}
