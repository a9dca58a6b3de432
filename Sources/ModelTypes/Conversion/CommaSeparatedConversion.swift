import ModelRecord

/// An array of texts as one text, with commas between the elements. The empty text is the empty array, so an array of
/// one empty text cannot be written, nor can an element with a comma.
public struct CommaSeparatedConversion: FieldConversion {
    /// Makes the conversion.
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
