/// An enum with `@OneOf`, as it was read.
struct OneOfShape {
    let access: Access
    let cases: [OneOfCase]
    /// The expression of its form in JSON; nil for the usual one.
    let form: String?
    /// The enum has an `==` of its own.
    var hasOwnEquality = false
    /// A type around the enum is private.
    var isWithinHidden = false

    /// The modifier of members of an extension, with a space behind it.
    var accessInExtension: String { isWithinHidden ? "fileprivate " : access.ofMember }

    init(access: Access, cases: [OneOfCase], form: String?) {
        (self.access, self.form) = (access, form)
        var number = 0
        self.cases = cases.map { one in
            var numbered = one
            for place in one.payloads.indices {
                numbered.payloads[place].number = number
                number += 1
            }
            return numbered
        }
    }
}

/// A case of an enum, and the fields of its payloads.
struct OneOfCase {
    /// A payload.
    struct Payload {
        /// Its place among the payloads of all cases.
        var number = 0
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
    var payloads: [Payload]
}
