public import ModelRecord

/// The source of the fields of one model: a record (``FieldReader``) or JSON (``FieldDecoder``).
///
/// Fields may be read in any order. A record finds all of them in one pass when they are read in the order of
/// `FieldName`: shorter names first.
public protocol FieldSource {
    /// The state of a field as a Swift type.
    mutating func state<T: FieldValue>(_ name: FieldName, as type: T.Type) -> FieldState<T>
    /// The state of a group of fields. By default each of these is a field with the name of the group before a dot.
    mutating func groupState<T: FieldGroup>(_ name: FieldName, as type: T.Type) -> FieldState<T>
    /// True where the fields are written as a whole, those of a sum type or of a value: what is not there is nil, and
    /// not unknown.
    var isWhole: Bool { get }
}

extension FieldSource {
    /// The default: a field that is not there is unknown.
    public var isWhole: Bool { false }

    /// The state of a field, converted.
    public mutating func state<C: FieldConversion>(_ name: FieldName, by conversion: C) -> FieldState<C.Property> {
        state(name, as: C.Wire.self).flatMap { wire throws(FieldFault) in try conversion.decode(wire) }
    }

    /// The field's value as a Swift type. For an optional type, nil when the field is unknown or null.
    /// - Throws: ``FieldProblem``: the field is unknown or null and the type has no nil, or the field's value does not
    ///   fit the type.
    public mutating func read<T: FieldValue>(_ name: FieldName, as type: T.Type = T.self) throws(FieldProblem) -> T {
        switch state(name, as: type) {
        case .value(let value): return value
        case .unknown:
            guard let value = T.whenUnknown else { throw FieldProblem(name.text, nil) }
            return value
        case .null:
            do { return try T(.null) } catch { throw FieldProblem(name.text, error) }
        case .faulty(let fault): throw FieldProblem(name.text, fault)
        }
    }

    /// The field's value as a Swift type; `value` when the field is unknown or null.
    /// - Throws: ``FieldProblem``: the field's value does not fit the type.
    public mutating func read<T: FieldValue>(
        _ name: FieldName, default value: @autoclosure () -> T
    ) throws(FieldProblem) -> T {
        try state(name, as: T.self).required(name, default: value())
    }

    /// The field's value, converted.
    /// - Throws: ``FieldProblem``: the field is unknown or null, or the conversion refuses its value.
    public mutating func read<C: FieldConversion>(
        _ name: FieldName, by conversion: C
    ) throws(FieldProblem) -> C.Property {
        let wire = try read(name, as: C.Wire.self)
        do { return try conversion.decode(wire) } catch { throw FieldProblem(name.text, error) }
    }

    /// The field's value, converted; `value` when the field is unknown or null.
    /// - Throws: ``FieldProblem``: the conversion refuses the field's value.
    public mutating func read<C: FieldConversion>(
        _ name: FieldName, by conversion: C, default value: @autoclosure () -> C.Property
    ) throws(FieldProblem) -> C.Property {
        try state(name, by: conversion).required(name, default: value())
    }
}
