public import ModelRecord

/// A validation of how many elements an array has, how many values a dictionary, or how many bytes `Data`. A text has
/// a length instead.
///
/// ```swift
/// @Field(validate: .count(1...9)) var labels: [Label]
/// ```
/// Elements may be of any type, which the argument does not name. So it is the one for a struct with elements of its
/// own type: the compiler cannot look at an argument of `@Field` that names the struct around it.
public struct CountValidation: FieldValidation {
    private let low: Int
    private let high: Int?

    /// A validation of a count in `range`, both ends included.
    public init(_ range: ClosedRange<Int>) { (low, high) = (range.lowerBound, range.upperBound) }

    /// A validation of a count that is not below the beginning of `range`.
    public init(_ range: PartialRangeFrom<Int>) { (low, high) = (range.lowerBound, nil) }

    public var wanted: String {
        guard let high else { return "at least \(low) element\(low == 1 ? "" : "s")" }
        return "\(low == high ? "" : "\(low) to ")\(high) element\(high == 1 ? "" : "s")"
    }

    /// True for an array of that many values.
    public func accepts(_ value: [Value]) -> Bool { accepts(count: value.count) }

    func accepts(count: Int) -> Bool { count >= low && count <= high ?? .max }
}

extension FieldState where Value: Collection {
    /// This state, or a faulty one when there are too few elements or too many.
    public func validated(by validation: CountValidation) -> FieldState {
        flatMap { value throws(FieldFault) in
            guard validation.accepts(count: value.count) else { throw validation.fault(ofAny: value) }
            return value
        }
    }
}

extension FieldSink {
    /// Checks a value before it is written; nil passes.
    /// - Throws: ``FieldProblem`` when there are too few elements or too many.
    public func validate<T: Collection>(
        _ name: String, _ value: T?, by validation: CountValidation
    ) throws(FieldProblem) {
        guard let value, !validation.accepts(count: value.count) else { return }
        throw FieldProblem(name, validation.fault(ofAny: value))
    }
}

extension FieldValidation where Self == CountValidation {
    /// ``CountValidation``.
    public static func count(_ range: ClosedRange<Int>) -> Self { Self(range) }

    /// ``CountValidation``.
    public static func count(_ range: PartialRangeFrom<Int>) -> Self { Self(range) }
}
