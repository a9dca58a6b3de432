import ModelRecord

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
