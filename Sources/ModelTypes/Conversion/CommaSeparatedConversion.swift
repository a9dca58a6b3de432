import ModelRecord

/// Texts in one, with commas between them; no text is none. An element may not have a comma in it, nor be empty and
/// alone.
public struct CommaSeparatedConversion: FieldConversion {
    public init() {}

    public func decode(_ wire: String) throws(FieldFault) -> [String] {
        wire.isEmpty ? [] : wire.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    public func encode(_ property: [String]) throws(FieldFault) -> String {
        guard property != [""], !property.contains(where: { $0.contains(",") }) else {
            throw FieldFault(
                .form, wanted: "texts without commas, and more than a single empty one",
                value: .array(property.map { .text($0) }))
        }
        return property.joined(separator: ",")
    }
}

extension FieldConversion where Self == CommaSeparatedConversion {
    /// ``CommaSeparatedConversion``.
    public static var commaSeparated: Self { Self() }
}
