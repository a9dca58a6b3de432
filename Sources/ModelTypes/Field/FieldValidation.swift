import ModelRecord

/// A condition on a property's value, beyond its type.
///
/// ```swift
/// @Field(validate: .range(0...150)) var age: Int
/// ```
/// A value that does not pass is a fault of its field, when it is read and when it is published.
public protocol FieldValidation<Value>: Sendable {
    /// The type of the property.
    associatedtype Value: Hashable & Sendable
    /// The condition, as people read it behind "is not".
    var wanted: String { get }
    /// True when the value meets the condition. Called on any thread.
    func accepts(_ value: Value) -> Bool
}

/// The overloads for single validations serve literals: the bounds of `.range(1...9)` take the type of the property.
extension FieldState {
    /// This state, or a faulty one when the value does not pass.
    public func validated(by validation: RangeValidation<Value>) -> FieldState where Value: Comparable {
        checked(by: validation)
    }

    /// This state, or a faulty one when the value does not pass.
    public func validated(by validation: CheckValidation<Value>) -> FieldState { checked(by: validation) }

    /// This state, or a faulty one when the value does not pass.
    public func validated(by validation: some FieldValidation<Value>) -> FieldState { checked(by: validation) }

    private func checked(by validation: some FieldValidation<Value>) -> FieldState {
        flatMap { value throws(FieldFault) in
            guard validation.accepts(value) else { throw validation.fault(value) }
            return value
        }
    }
}

extension FieldSink {
    /// Checks a value before it is written; nil passes.
    /// - Throws: ``FieldProblem`` when the value does not pass.
    public func validate<T>(
        _ name: String, _ value: T?, by validation: RangeValidation<T>
    ) throws(FieldProblem) {
        try validation.validate(name, value)
    }

    /// Checks a value before it is written; nil passes.
    /// - Throws: ``FieldProblem`` when the value does not pass.
    public func validate<T>(
        _ name: String, _ value: T?, by validation: CheckValidation<T>
    ) throws(FieldProblem) {
        try validation.validate(name, value)
    }

    /// Checks a value before it is written; nil passes.
    /// - Throws: ``FieldProblem`` when the value does not pass.
    public func validate<V: FieldValidation>(
        _ name: String, _ value: V.Value?, by validation: V
    ) throws(FieldProblem) {
        try validation.validate(name, value)
    }
}

extension FieldValidation {
    fileprivate func validate(_ name: String, _ value: Value?) throws(FieldProblem) {
        if let value, !accepts(value) { throw FieldProblem(name, fault(value)) }
    }

    /// The fault of a value that does not pass.
    func fault(_ value: Value) -> FieldFault { fault(ofAny: value) }

    /// The fault of a value, of whatever type, that does not pass.
    func fault(ofAny value: Any) -> FieldFault {
        let raw = (value as? any FieldValue).flatMap { try? $0.encoded() }
        return FieldFault(.invalid, wanted: wanted, value: raw ?? .text("\(value)"))
    }
}

extension FieldValidation {
    /// ``RangeValidation``.
    public static func range<Bound>(_ range: ClosedRange<Bound>) -> Self where Self == RangeValidation<Bound> {
        Self(range)
    }

    /// ``LengthValidation``.
    public static func length(_ range: ClosedRange<Int>) -> Self where Self == LengthValidation { Self(range) }

    /// ``CheckValidation``.
    public static func check<Checked>(
        _ wanted: String, _ check: @escaping @Sendable (Checked) -> Bool
    ) -> Self where Self == CheckValidation<Checked> {
        Self(wanted, check)
    }
}
