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

/// Where the fields of one model go: to fields that are published (``FieldWriter``) or JSON (``FieldEncoder``).
public protocol FieldSink {
    /// - Throws: ``FieldProblem`` for a value that cannot go there.
    mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem)
}

extension FieldSink {
    /// Writes what a conversion makes of a property.
    /// - Throws: ``FieldProblem`` for what the conversion refuses, or cannot go there.
    public mutating func write<C: FieldConversion>(
        _ name: String, _ property: C.Property, by conversion: C
    ) throws(FieldProblem) {
        let wire: C.Wire
        do { wire = try conversion.encode(property) } catch { throw FieldProblem(name, error) }
        try write(name, wire)
    }

    /// Writes what a conversion makes of a property, or null.
    public mutating func write<C: FieldConversion>(
        _ name: String, _ property: C.Property?, by conversion: C
    ) throws(FieldProblem) {
        if let property { try write(name, property, by: conversion) } else { try write(name, Value.null) }
    }

    /// Writes what is known of a field: nothing where it is unknown.
    /// - Throws: ``FieldProblem`` where the field is faulty.
    public mutating func write<T: FieldValue>(_ name: String, _ state: FieldState<T>) throws(FieldProblem) {
        switch state {
        case .unknown: return
        case .null: try write(name, Value.null)
        case .value(let value): try write(name, value)
        case .faulty(let fault): throw FieldProblem(name, fault)
        }
    }

    /// Writes what a conversion makes of what is known of a field.
    public mutating func write<C: FieldConversion>(
        _ name: String, _ state: FieldState<C.Property>, by conversion: C
    ) throws(FieldProblem) {
        try write(name, state.flatMap { property throws(FieldFault) in try conversion.encode(property) })
    }
}
