/// The form in which models are written as JSON.
package struct JSONForm: Hashable, Sendable {
    /// Fields stand under their dotted names, and not in nested objects.
    package var isFlat = false
    /// Integers beyond 2^53 are written as texts: a reader that makes doubles of all numbers, as JavaScript does, would
    /// change them.
    package var hasLargeIntegersAsText = false
    /// The fields that are written, with all that is nested in them; nil for all.
    package var fields: [String]?

    package init() {}

    /// The field is written.
    package func selects(_ field: String) -> Bool {
        guard let fields else { return true }
        return fields.contains { name in
            field.utf8.starts(with: name.utf8)
                && (field.utf8.count == name.utf8.count || field.utf8.dropFirst(name.utf8.count).first == 0x2E)
        }
    }
}
