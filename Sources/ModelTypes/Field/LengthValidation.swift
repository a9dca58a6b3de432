/// Text of so many characters.
public struct LengthValidation: FieldValidation {
    let range: ClosedRange<Int>

    /// - Parameter range: how many characters, with both ends.
    public init(_ range: ClosedRange<Int>) { self.range = range }

    public var wanted: String { "text of \(range.lowerBound) to \(range.upperBound) characters" }
    public func accepts(_ value: String) -> Bool { range.contains(value.count) }
}
