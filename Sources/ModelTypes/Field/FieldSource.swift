public import ModelRecord

/// Where the fields of one model come from: a record (``FieldReader``) or JSON (``FieldDecoder``).
///
/// Fields may be read in any order. From a record all are found in one pass in the order of ``FieldName``: shorter
/// names first.
public protocol FieldSource {
    /// What is known of a field, as a Swift type.
    mutating func state<T: FieldValue>(_ name: FieldName, as type: T.Type) -> FieldState<T>
}

extension FieldSource {
    /// What is known of a field, as what a conversion makes of it.
    public mutating func state<C: FieldConversion>(_ name: FieldName, by conversion: C) -> FieldState<C.Property> {
        state(name, as: C.Wire.self).flatMap { wire throws(FieldFault) in try conversion.decode(wire) }
    }

    /// The field's value as a Swift type. Of an optional type nil, where the field is unknown or null.
    /// - Throws: ``FieldProblem``: the field is unknown or null where there must be something, or holds what the type
    ///   cannot.
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

    /// The field's value as a Swift type; `value` where the field is unknown or null.
    /// - Throws: ``FieldProblem``: the field holds what the type cannot.
    public mutating func read<T: FieldValue>(
        _ name: FieldName, default value: @autoclosure () -> T
    ) throws(FieldProblem) -> T {
        try state(name, as: T.self).required(name, default: value())
    }

    /// What a conversion makes of the field's value.
    /// - Throws: ``FieldProblem``: the field is unknown or null, or holds what the conversion does not take.
    public mutating func read<C: FieldConversion>(
        _ name: FieldName, by conversion: C
    ) throws(FieldProblem) -> C.Property {
        let wire = try read(name, as: C.Wire.self)
        do { return try conversion.decode(wire) } catch { throw FieldProblem(name.text, error) }
    }

    /// What a conversion makes of the field's value; `value` where the field is unknown or null.
    /// - Throws: ``FieldProblem``: the field holds what the conversion does not take.
    public mutating func read<C: FieldConversion>(
        _ name: FieldName, by conversion: C, default value: @autoclosure () -> C.Property
    ) throws(FieldProblem) -> C.Property {
        try state(name, by: conversion).required(name, default: value())
    }
}
