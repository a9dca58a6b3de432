public import ModelRecord

/// The state of one field of a model, as far as it is known.
public enum FieldState<Value: Hashable & Sendable>: Hashable, Sendable {
    /// No publisher has written the field, or the field was made unknown again.
    case unknown
    /// The field is known to be empty.
    case null
    /// The field has this value.
    case value(Value)
    /// The field holds a value that the property cannot hold.
    indirect case faulty(FieldFault)

    /// The value, if there is one.
    @inlinable public var value: Value? { if case .value(let value) = self { value } else { nil } }

    /// True unless the field is unknown: it has a value, is known to be empty, or is faulty.
    @inlinable public var isKnown: Bool { if case .unknown = self { false } else { true } }

    /// The value of an optional property, nil for null; nil itself where the field is unknown. For generated code.
    @inlinable public var ifKnown: Value?? { isKnown ? .some(value) : nil }

    /// The fault of the field's value, if it is faulty.
    public var fault: FieldFault? { if case .faulty(let fault) = self { fault } else { nil } }

    /// The value of an optional property: nil for unknown and null.
    /// - Parameter name: the field's name on the wire, for the error.
    /// - Throws: ``FieldProblem`` when the field is faulty.
    @inlinable public func optional(_ name: FieldName) throws(FieldProblem) -> Value? {
        switch self {
        case .unknown, .null: nil
        case .value(let value): value
        case .faulty(let fault): throw FieldProblem(name.text, fault)
        }
    }

    /// The value of an optional property with a default, which stands for unknown; nil there. For generated code.
    /// - Throws: ``FieldProblem`` when the field is faulty.
    @inlinable public func ifKnown(_ name: FieldName) throws(FieldProblem) -> Value?? {
        isKnown ? .some(try optional(name)) : nil
    }

    /// The value of a property that is never nil.
    /// - Throws: ``FieldProblem`` when the field is unknown, null or faulty.
    @inlinable public func required(_ name: FieldName) throws(FieldProblem) -> Value {
        if case .value(let value) = self { return value }
        return try emptyValue(name)
    }

    /// The value of a property that is never nil, where the state has no ``problem(_:)``. For generated code, which
    /// looks for problems first.
    @inlinable public var found: Value {
        if case .value(let value) = self { return value }
        return emptyValue
    }

    /// The value that stands for a field without one; see ``problem(_:)``.
    @usableFromInline var emptyValue: Value {
        guard let empty = FieldState.empty ?? FieldState.emptyGroup else {
            preconditionFailure("a field without a value has been required")
        }
        return empty
    }

    /// The value of a property that is optional by a name of its type, for a field without one.
    @usableFromInline func emptyValue(_ name: FieldName) throws(FieldProblem) -> Value {
        if let problem = problem(name) { throw problem }
        return emptyValue
    }

    /// The nil of an optional type, which a property has that names it by a type alias; nil for other types.
    private static var empty: Value? {
        func nothing<T: FieldValue>(_ type: T.Type) -> Value? { T.whenUnknown as? Value }
        return (Value.self as? any FieldValue.Type).flatMap { nothing($0) }
    }

    /// The value of a property with a default, which stands for unknown and null.
    /// - Throws: ``FieldProblem`` when the field is faulty.
    @inlinable public func required(
        _ name: FieldName, default value: @autoclosure () -> Value
    ) throws(FieldProblem) -> Value {
        try optional(name) ?? value()
    }

    /// The state, of which `unread` keeps in mind that it is unknown. `place` is the index of the property. For
    /// generated code.
    @inlinable public func noted(_ place: Int, in unread: inout FieldSet) -> FieldState {
        unread.insert(place, unless: isKnown)
        return self
    }

    /// The value of a group whose fields are all null, where that is one; nil for other types.
    private static var emptyGroup: Value? {
        func empty<T: FieldGroup>(_ type: T.Type) -> Value? {
            var source = NullSource()
            return T.isOneOf ? nil : (try? T(reading: &source)) as? Value
        }
        return (Value.self as? any FieldGroup.Type).flatMap { empty($0) }
    }

    /// Why the field has no value; nil when it has one.
    public func problem(_ name: FieldName) -> FieldProblem? {
        switch self {
        case .unknown where FieldState.empty != nil, .null where FieldState.empty != nil: nil
        case .null where FieldState.emptyGroup != nil: nil
        case .unknown: FieldProblem(name.text, nil)
        case .null: FieldProblem(name.text, FieldFault(.null, wanted: "\(Value.self)", value: .null))
        case .value: nil
        case .faulty(let fault): FieldProblem(name.text, fault)
        }
    }

    /// Why the field makes no optional value; nil unless it is faulty.
    public func optionalProblem(_ name: FieldName) -> FieldProblem? {
        if case .faulty(let fault) = self { FieldProblem(name.text, fault) } else { nil }
    }

    /// The state with the value transformed; faulty when `transform` throws.
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

/// A source in which every field is null.
private struct NullSource: FieldSource {
    mutating func state<T: FieldValue>(_ name: FieldName, as type: T.Type) -> FieldState<T> { .null }
    mutating func groupState<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T> { .null }
}
