public import ModelRecord

/// A text that may come as a number, as house numbers and versions do.
///
/// A number is read as its decimal text, and written back as that.
public struct TextOrNumberConversion: FieldConversion {
    /// Makes the conversion.
    public init() {}

    public func decode(_ wire: Value) throws(FieldFault) -> String {
        switch wire {
        case .text(let text): return text
        case .int(let int): return "\(int)"
        case .double(let double): return "\(double)"
        default: throw FieldFault(wire, wanted: "text, or a number")
        }
    }

    public func encode(_ property: String) throws(FieldFault) -> Value { .text(property) }
}

extension FieldConversion where Self == TextOrNumberConversion {
    /// ``TextOrNumberConversion``.
    public static var textOrNumber: Self { Self() }
}
