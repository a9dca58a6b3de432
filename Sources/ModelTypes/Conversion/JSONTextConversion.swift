import ModelRecord

#if canImport(FoundationEssentials)
    import struct FoundationEssentials.Data
    import class FoundationEssentials.JSONDecoder
    import class FoundationEssentials.JSONEncoder
#else
    import struct Foundation.Data
    import class Foundation.JSONDecoder
    import class Foundation.JSONEncoder
#endif

/// A value as JSON in a text, written with sorted keys, so that equal values have equal texts.
public struct JSONTextConversion<Property: Codable & Hashable & Sendable>: FieldConversion {
    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: String) throws(FieldFault) -> Property {
        do {
            return try JSONDecoder().decode(Property.self, from: Data(wire.utf8))
        } catch {
            throw fault(wire, wanted: "the JSON of type \(Property.self): \(error)")
        }
    }

    public func encode(_ property: Property) throws(FieldFault) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(property), as: UTF8.self)
        } catch {
            throw FieldFault(.form, wanted: "what JSON can hold: \(error)", value: .text("\(property)"))
        }
    }
}

extension FieldConversion {
    /// ``JSONTextConversion``.
    public static func json<Content>(_ type: Content.Type) -> Self where Self == JSONTextConversion<Content> { Self() }
}
