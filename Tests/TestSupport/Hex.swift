extension [UInt8] {
    /// The bytes of hexadecimal digits. Characters that are no digits, such as spaces, are ignored.
    public init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        precondition(digits.count.isMultiple(of: 2), "half a byte: \(hex)")
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Two hexadecimal digits for each byte.
    public var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
