public import ModelRecord

/// What is known of one field of a model.
public enum FieldState<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Nobody has said anything of it.
    case unknown
    /// It is known to be empty.
    case null
    case value(Value)
    /// It holds what the property cannot.
    indirect case faulty(FieldFault)

    /// The value, where there is one.
    @inlinable public var value: Value? { if case .value(let value) = self { value } else { nil } }

    /// It has a value, or is known to be empty.
    @inlinable public var isKnown: Bool { if case .unknown = self { false } else { true } }

    /// What is wrong with what it holds, if anything.
    public var fault: FieldFault? { if case .faulty(let fault) = self { fault } else { nil } }

    /// What a property makes of it that may be nil: an optional one.
    /// - Parameter name: the field's name on the wire, for the error.
    /// - Throws: ``FieldProblem`` where it is faulty.
    @inlinable public func optional(_ name: FieldName) throws(FieldProblem) -> Value? {
        switch self {
        case .unknown, .null: nil
        case .value(let value): value
        case .faulty(let fault): throw FieldProblem(name.text, fault)
        }
    }

    /// What a property makes of it that is never nil.
    /// - Throws: ``FieldProblem`` where it is unknown, null or faulty.
    @inlinable public func required(_ name: FieldName) throws(FieldProblem) -> Value {
        if case .value(let value) = self { return value }
        throw problem(name) ?? FieldProblem(name.text, nil)
    }

    /// What a property makes of it that has a default for unknown and null.
    /// - Throws: ``FieldProblem`` where it is faulty.
    @inlinable public func required(
        _ name: FieldName, default value: @autoclosure () -> Value
    ) throws(FieldProblem) -> Value {
        try optional(name) ?? value()
    }

    /// Why it is not a value; nil where it is one.
    public func problem(_ name: FieldName) -> FieldProblem? {
        switch self {
        case .unknown: FieldProblem(name.text, nil)
        case .null: FieldProblem(name.text, FieldFault(.null, wanted: "\(Value.self)", value: .null))
        case .value: nil
        case .faulty(let fault): FieldProblem(name.text, fault)
        }
    }

    /// Why it cannot be a value or nil; nil where it can.
    public func optionalProblem(_ name: FieldName) -> FieldProblem? {
        if case .faulty(let fault) = self { FieldProblem(name.text, fault) } else { nil }
    }

    /// The same state of what `transform` makes of the value.
    func flatMap<Other>(_ transform: (Value) throws(FieldFault) -> Other) -> FieldState<Other> {
        switch self {
        case .unknown: return .unknown
        case .null: return .null
        case .value(let value):
            do { return .value(try transform(value)) } catch { return .faulty(error) }
        case .faulty(let fault): return .faulty(fault)
        }
    }
}
