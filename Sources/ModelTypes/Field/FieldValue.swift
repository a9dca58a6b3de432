public import ModelRecord

/// A Swift type that a field of a model may have.
///
/// | Swift | a record holds |
/// |---|---|
/// | `Bool` | a Boolean |
/// | `Int`, `UInt` and all their widths | an integer |
/// | `Double`, `Float` | a double, or an integer that it can hold exactly |
/// | `Decimal` | text, or a number |
/// | `String` | text |
/// | `Data` | bytes |
/// | `URL` | a URI, or text that is one |
/// | `UUID` | a UUID, or its usual text |
/// | `Date` | a timestamp |
/// | `Optional` | what the wrapped type holds, or null |
/// | `Array`, `Dictionary` with `String` keys | arrays and maps of these |
/// | an enum with a raw value that says `FieldValue` | the raw value of one of its cases |
/// | ``Open`` of such an enum | any raw value |
/// | a struct with `@FieldValue` (``StructuredValue``) | a map |
/// | ``Structured`` of a `Codable` type | a map, an array or a scalar |
/// | `Value` | anything |
///
/// Fields of other forms have a ``FieldConversion``.
public protocol FieldValue: ModelFieldType, Codable {
    /// Makes a Swift value of the value in a cell, or of an element of one.
    /// - Throws: ``FieldFault`` for a value that this type cannot hold, null included.
    init(_ value: Value) throws(FieldFault)

    /// Makes a Swift value of the value at `cursor`, without a `Value` in between where that is possible.
    /// - Throws: ``FieldFault`` for a value that this type cannot hold.
    static func read(_ cursor: borrowing FieldCursor) throws(FieldFault) -> Self

    /// The value to publish.
    /// - Throws: ``FieldFault`` for a value that no record can hold.
    func encoded() throws(FieldFault) -> Value

    /// The value that stands for an unknown field: nil of an optional type. Other types have none.
    static var whenUnknown: Self? { get }
}

extension FieldValue {
    public static var whenUnknown: Self? { nil }

    public static func read(_ cursor: borrowing FieldCursor) throws(FieldFault) -> Self {
        try Self(cursor.value ?? .null)
    }
}

extension Value: FieldValue {
    public init(_ value: Value) throws(FieldFault) { self = value }
    public func encoded() throws(FieldFault) -> Value { self }
}

extension Optional: ModelFieldType where Wrapped: ModelFieldType {}

extension Optional: FieldValue where Wrapped: FieldValue {
    public init(_ value: Value) throws(FieldFault) { self = value.isNull ? nil : try Wrapped(value) }

    public static func read(_ cursor: borrowing FieldCursor) throws(FieldFault) -> Wrapped? {
        if cursor.isNull { return nil }
        return try Wrapped.read(cursor)
    }

    public func encoded() throws(FieldFault) -> Value { try self?.encoded() ?? .null }

    public static var whenUnknown: Wrapped?? { .some(nil) }
}
