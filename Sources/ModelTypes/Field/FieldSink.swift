import ModelRecord

/// The destination of the fields of one model: fields to publish (``FieldWriter``) or JSON (``FieldEncoder``).
public protocol FieldSink {
    /// Writes a field.
    /// - Throws: ``FieldProblem`` for a value that the sink cannot take.
    mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem)
    /// Writes a group of fields, or that there is none. By default each of these is a field with the name of the group
    /// before a dot, and null where there is no group.
    /// - Throws: ``FieldProblem`` for a value that the sink cannot take.
    mutating func writeGroup<T: FieldGroup>(_ name: String, _ value: T?) throws(FieldProblem)
    /// The first problem of the fields that generated code has put; see ``checkProblem()``.
    var problem: FieldProblem? { get set }
    /// True where the fields are written as a whole, those of a sum type: in the place of a field that is left out an
    /// old value would stay.
    var isWhole: Bool { get }
}

extension FieldSink {
    /// The default: what is unknown is left out.
    public var isWhole: Bool { false }

    /// Writes a property by a conversion.
    /// - Throws: ``FieldProblem`` for a value that the conversion or the sink refuses.
    public mutating func write<C: FieldConversion>(
        _ name: String, _ property: C.Property, by conversion: C
    ) throws(FieldProblem) {
        let wire: C.Wire
        do { wire = try conversion.encode(property) } catch { throw FieldProblem(name, error) }
        try write(name, wire)
    }

    /// Writes a property by a conversion, or null.
    public mutating func write<C: FieldConversion>(
        _ name: String, _ property: C.Property?, by conversion: C
    ) throws(FieldProblem) {
        if let property { try write(name, property, by: conversion) } else { try write(name, Value.null) }
    }

    /// Writes the state of a field; nothing when it is unknown.
    /// - Throws: ``FieldProblem`` when the state is faulty.
    public mutating func write<T: FieldValue>(_ name: String, _ state: FieldState<T>) throws(FieldProblem) {
        switch state {
        case .unknown: return
        case .null: try write(name, Value.null)
        case .value(let value): try write(name, value)
        case .faulty(let fault): throw FieldProblem(name, fault)
        }
    }

    /// Writes the state of a field by a conversion; nothing when it is unknown.
    public mutating func write<C: FieldConversion>(
        _ name: String, _ state: FieldState<C.Property>, by conversion: C
    ) throws(FieldProblem) {
        try write(name, state.flatMap { property throws(FieldFault) in try conversion.encode(property) })
    }
}
