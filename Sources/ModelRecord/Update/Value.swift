#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.UUID
#else
    public import struct Foundation.UUID
#endif

/// The value of one field.
///
/// A field has three states: unknown (no value at all, `nil` wherever a value is optional), ``null``, or a value.
/// The encoding of each case is section 3 of the protocol article.
public enum Value: Hashable, Sendable {
    /// A field that is known to be empty.
    case null
    /// A Boolean.
    case bool(Bool)
    /// An integer of 64 signed bits.
    case int(Int64)
    /// A floating-point number, encoded in the shortest width that keeps it.
    case double(Double)
    /// A text.
    case text(String)
    /// A byte string.
    case bytes([UInt8])
    /// An array of values.
    case array([Value])
    /// A map with texts as keys.
    case map([String: Value])
    /// A URI, as text; not checked further.
    case uri(String)
    /// A UUID.
    case uuid(UUID)
    /// Seconds since 1970-01-01T00:00:00Z.
    case timestamp(Double)
    /// An item with a tag that Modelcast gives no meaning: kept byte for byte.
    case tagged(UInt64, encoded: [UInt8])
    /// Makes the field unknown again. Only a writer uses it; a reader sees the field as absent.
    case undefined
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, Value)...) {
        self = .map(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension Value {
    /// The Boolean, if it is one.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The integer, if it is one.
    public var intValue: Int64? { if case .int(let value) = self { value } else { nil } }
    /// The number as a double, if it is a double or an integer. A large integer is rounded.
    public var doubleValue: Double? {
        switch self {
        case .double(let value): value
        case .int(let value): Double(value)
        default: nil
        }
    }
    /// The text, if it is one.
    public var textValue: String? { if case .text(let value) = self { value } else { nil } }
    /// True for ``null``.
    public var isNull: Bool { self == .null }
}
