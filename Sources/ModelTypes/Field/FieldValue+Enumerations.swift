public import ModelRecord

/// An enum with a raw value that conforms to `FieldValue`: its field holds the raw value of one of the cases.
///
/// ```swift
/// enum Colour: String, FieldValue { case red, green }
/// ```
/// A raw value without a case is a fault. Use ``Open`` when other processes may know more cases.
extension FieldValue where Self: RawRepresentable, RawValue: FieldValue {
    public init(_ value: Value) throws(FieldFault) {
        self = try RawValueConversion().decode(RawValue(value))
    }

    public static func read(_ cursor: borrowing FieldCursor) throws(FieldFault) -> Self {
        try RawValueConversion().decode(RawValue.read(cursor))
    }

    public func encoded() throws(FieldFault) -> Value { try rawValue.encoded() }
}
