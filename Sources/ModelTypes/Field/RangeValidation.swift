/// A validation of a value within bounds.
public struct RangeValidation<Value: Comparable & Hashable & Sendable>: FieldValidation {
    let range: ClosedRange<Value>

    /// A validation of a value in `range`.
    /// - Parameter range: the bounds, both included.
    public init(_ range: ClosedRange<Value>) { self.range = range }

    public var wanted: String { "from \(range.lowerBound) to \(range.upperBound)" }
    public func accepts(_ value: Value) -> Bool { range.contains(value) }
}
