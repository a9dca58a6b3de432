public import ModelRecord

#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.Decimal
#else
    public import struct Foundation.Decimal
#endif

/// A decimal number as its text, which is exact: `"12.30"` is read, and written as `"12.3"`.
///
/// An integer is read, too, and so is a double, as the shortest decimal number that makes it: 0.1 is `0.1`. A text with
/// more than the 38 digits that a `Decimal` holds is a fault, never rounded.
extension Decimal: FieldValue {
    public init(_ value: Value) throws(FieldFault) {
        switch value {
        case .text(let text): self = try Decimal.exactly(text, value)
        case .int(let int): self = Decimal(int)
        case .double(let double): self = try Decimal.exactly("\(double)", value)
        default: throw FieldFault(value, wanted: "a decimal number")
        }
    }

    public func encoded() throws(FieldFault) -> Value {
        guard !isNaN else { throw FieldFault(.range, wanted: "a decimal number", value: .text("NaN")) }
        return .text(description)
    }

    /// How many digits a `Decimal` holds whatever they are.
    private static let digitCountMax = 38

    private static func exactly(_ text: String, _ value: Value) throws(FieldFault) -> Decimal {
        guard text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][+\-]?[0-9]+)?/) != nil else {
            throw FieldFault(.form, wanted: "a decimal number", value: value)
        }
        let digits = text.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber).drop { $0 == "0" }
        let count = digits.reversed().drop { $0 == "0" }.count
        guard count <= digitCountMax, let decimal = Decimal(string: text), !decimal.isNaN,
            decimal.isZero == (count == 0)
        else {
            let wanted = "a decimal number of at most \(digitCountMax) digits, which Decimal holds"
            throw FieldFault(.range, wanted: wanted, value: value)
        }
        return decimal
    }
}
