/// A validation of the length of a text, in characters.
public struct LengthValidation: FieldValidation {
    let range: ClosedRange<Int>

    /// A validation of a length in `range`.
    /// - Parameter range: the lengths in characters, both ends included.
    public init(_ range: ClosedRange<Int>) { self.range = range }

    public var wanted: String { "text of \(range.lowerBound) to \(range.upperBound) characters" }
    public func accepts(_ value: String) -> Bool { range.contains(value.count) }
}
