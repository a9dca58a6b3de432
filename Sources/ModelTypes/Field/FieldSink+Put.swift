import ModelRecord

/// Calls of generated code, one for each field. A problem is kept until ``checkProblem()``, and nothing more is written
/// behind it: many calls that throw, in one function, would take the compiler longer than all else that it does for a
/// model.
extension FieldSink {
    /// Writes a field, and keeps its problem.
    public mutating func put<T: FieldValue>(_ name: String, _ value: T) {
        keepProblem { sink throws(FieldProblem) in try sink.write(name, value) }
    }

    /// Writes a field that is known, and keeps its problem.
    public mutating func put<T: FieldValue>(_ name: String, _ value: T, unless isUnknown: Bool) {
        if !isUnknown || isWhole { put(name, value) }
    }

    /// Writes a group of fields, and keeps its problem.
    public mutating func put<T: FieldGroup>(_ name: String, _ value: T) {
        keepProblem { sink throws(FieldProblem) in try sink.write(name, value) }
    }

    /// Writes a group of fields, or null in all of them, and keeps its problem.
    public mutating func put<T: FieldGroup>(_ name: String, _ value: T?) {
        keepProblem { sink throws(FieldProblem) in try sink.write(name, value) }
    }

    /// Writes a group of fields that is known, or null in all of them, and keeps its problem.
    public mutating func put<T: FieldGroup>(_ name: String, _ value: T?, unless isUnknown: Bool) {
        if !isUnknown || isWhole { put(name, value) }
    }

    /// Writes a property by a conversion, and keeps its problem.
    public mutating func put<C: FieldConversion>(_ name: String, _ property: C.Property, by conversion: C) {
        keepProblem { sink throws(FieldProblem) in try sink.write(name, property, by: conversion) }
    }

    /// Writes a property by a conversion, or null, and keeps its problem.
    public mutating func put<C: FieldConversion>(_ name: String, _ property: C.Property?, by conversion: C) {
        keepProblem { sink throws(FieldProblem) in try sink.write(name, property, by: conversion) }
    }

    /// Writes a property that is known by a conversion, or null, and keeps its problem.
    public mutating func put<C: FieldConversion>(
        _ name: String, _ property: C.Property?, unless isUnknown: Bool, by conversion: C
    ) {
        if !isUnknown || isWhole { put(name, property, by: conversion) }
    }

    /// Writes the state of a field, nothing when it is unknown, and keeps its problem.
    public mutating func put<T: FieldValue>(_ name: String, _ state: FieldState<T>) {
        keepProblem { sink throws(FieldProblem) in try sink.write(name, state) }
    }

    /// Writes the state of a group, nothing when it is unknown, and keeps its problem.
    public mutating func put<T: FieldGroup>(_ name: String, _ state: FieldState<T>) {
        keepProblem { sink throws(FieldProblem) in try sink.write(name, state) }
    }

    /// Writes the state of a field by a conversion, nothing when it is unknown, and keeps its problem.
    public mutating func put<C: FieldConversion>(_ name: String, _ state: FieldState<C.Property>, by conversion: C) {
        keepProblem { sink throws(FieldProblem) in try sink.write(name, state, by: conversion) }
    }

    /// Ends the writing of fields that were put.
    /// - Throws: the first problem that was kept.
    public func checkProblem() throws(FieldProblem) {
        if let problem { throw problem }
    }

    mutating func keepProblem(_ write: (inout Self) throws(FieldProblem) -> Void) {
        guard problem == nil else { return }
        do { try write(&self) } catch { problem = error }
    }
}
