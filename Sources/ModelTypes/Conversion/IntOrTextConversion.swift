public import ModelRecord

/// An integer, or its decimal text, for publishers that write either.
///
/// A text is read as an integer, and written back as one.
public struct IntOrTextConversion: FieldConversion {
    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: Value) throws(FieldFault) -> Int64 {
        switch wire {
        case .int(let int): return int
        case .text(let text):
            guard let int = Int64(text) else { throw fault(wire, wanted: "an integer, or its decimal text") }
            return int
        default: throw FieldFault(wire, wanted: "an integer, or its decimal text")
        }
    }

    public func encode(_ property: Int64) throws(FieldFault) -> Value { .int(property) }
}

extension FieldConversion where Self == IntOrTextConversion {
    /// ``IntOrTextConversion``.
    public static var intOrText: Self { Self() }
}
