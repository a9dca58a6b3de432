import ModelRecord

#if canImport(FoundationEssentials)
    import struct FoundationEssentials.Decimal
#else
    import struct Foundation.Decimal
#endif

/// A decimal number, or an array, a dictionary or an optional of these: in JSON each number may be a text, which the
/// `Codable` of Foundation does not read.
protocol DecimalParts {
    /// The type of the same shape that reads texts as well.
    associatedtype Parts: Decodable
    init(parts: Parts)
}

/// A decimal number that may be a text in JSON.
struct NumberOrText: Decodable {
    fileprivate let decimal: Decimal

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            decimal = try container.decode(Decimal.self)
            return
        }
        do {
            decimal = try Decimal(.text(text))
        } catch {
            throw DecodingError(error, of: Decimal.self, decoder.codingPath)
        }
    }
}

extension Decimal: DecimalParts {
    init(parts: NumberOrText) { self = parts.decimal }
}

extension Optional: DecimalParts where Wrapped: DecimalParts {
    init(parts: Wrapped.Parts?) { self = parts.map(Wrapped.init(parts:)) }
}

extension Array: DecimalParts where Element: DecimalParts {
    init(parts: [Element.Parts]) { self = parts.map(Element.init(parts:)) }
}

extension Dictionary: DecimalParts where Key == String, Value: DecimalParts {
    init(parts: [String: Value.Parts]) { self = parts.mapValues(Value.init(parts:)) }
}

extension KeyedDecodingContainer {
    /// Decodes the value of a field; decimal numbers also from texts.
    func decode<T: FieldValue>(field type: T.Type, forKey key: Key) throws -> T {
        do {
            return try decode(T.self, forKey: key)
        } catch {
            func decodeParts<P: DecimalParts>(_ parts: P.Type) throws -> T? {
                P(parts: try decode(P.Parts.self, forKey: key)) as? T
            }
            guard let parts = T.self as? any DecimalParts.Type, let value = try decodeParts(parts) else { throw error }
            return value
        }
    }
}
