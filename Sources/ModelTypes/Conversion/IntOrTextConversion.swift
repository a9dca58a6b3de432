public import ModelRecord

/// An integer, or its decimal text, for publishers that write either.
///
/// A text is read as an integer, and written back as one.
public struct IntOrTextConversion<Integer: FixedWidthInteger & FieldValue>: FieldConversion {
    /// Makes the conversion.
    public init() {}

    /// - Throws: ``FieldFault`` for what is neither, and for an integer that the type cannot hold.
    public func decode(_ wire: Value) throws(FieldFault) -> Integer {
        switch wire {
        case .int: return try Integer(wire)
        case .text(let text):
            guard let int = Int64(text) else { throw fault(wire, wanted: "an integer, or its decimal text") }
            return try Integer(.int(int))
        default: throw FieldFault(wire, wanted: "an integer, or its decimal text")
        }
    }

    /// - Throws: ``FieldFault`` for an integer of more than 64 signed bits.
    public func encode(_ property: Integer) throws(FieldFault) -> Value { try property.encoded() }
}

extension FieldConversion where Self == IntOrTextConversion<Int64> {
    /// ``IntOrTextConversion`` of `Int64`.
    public static var intOrText: Self { Self() }
}

extension FieldConversion {
    /// ``IntOrTextConversion`` of any width.
    public static func intOrText<Integer>(_ type: Integer.Type) -> Self where Self == IntOrTextConversion<Integer> {
        Self()
    }
}
