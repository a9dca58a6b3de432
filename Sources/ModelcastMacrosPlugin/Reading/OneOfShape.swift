/// An enum with `@OneOf`, as it was read.
struct OneOfShape {
    let access: Access
    let cases: [OneOfCase]
    /// The expression of its form in JSON; nil for the usual one.
    let form: String?
    /// The members that the enum has of its own.
    let own: Set<OwnMember>
    /// The modifier of members of its extension, with a space behind it.
    let accessInExtension: String
}

/// A case of an enum, and the fields of its payloads.
struct OneOfCase {
    /// A payload.
    struct Payload {
        /// The place among the payloads of all cases.
        let number: Int
        /// The label as it is written; nil for none.
        let label: String?
        let type: PropertyType
        /// The expression of the value for a field that is unknown or null.
        let defaultValue: String?
        /// The field's name on the wire.
        let field: String
    }

    /// The name as it is written, backticks included.
    let name: String
    /// The name of the case on the wire.
    let wireName: String
    let payloads: [Payload]
}
