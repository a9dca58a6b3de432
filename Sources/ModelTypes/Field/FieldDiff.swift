public import ModelRecord

/// Collects the fields in which two values of a model differ. For generated code.
///
/// A problem of a field is kept until ``finish()``: many calls that throw, in one function, would take the compiler
/// longer than all else that it does for a model.
public struct FieldDiff: FieldSink {
    @usableFromInline var writer = FieldWriter()
    /// The properties that are unknown in the new value, and in the old one.
    @usableFromInline let unknown: FieldSet
    @usableFromInline let oldUnknown: FieldSet

    public var problem: FieldProblem? {
        get { writer.problem }
        set { writer.problem = newValue }
    }

    /// A difference without fields.
    /// - Parameters:
    ///   - unknown: the properties whose fields are unknown in the new value.
    ///   - oldUnknown: those whose fields are unknown in the old value.
    public init(_ unknown: FieldSet = FieldSet(), _ oldUnknown: FieldSet = FieldSet()) {
        (self.unknown, self.oldUnknown) = (unknown, oldUnknown)
    }

    public mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem) {
        try writer.write(name, value)
    }

    /// The fields that differ.
    /// - Throws: ``FieldProblem`` for the first that cannot be published.
    public consuming func finish() throws(FieldProblem) -> Fields {
        try checkProblem()
        return writer.fields
    }
}

/// Properties that are always known.
extension FieldDiff {
    /// Writes a property that differs.
    @inlinable public mutating func compare<T: FieldValue>(_ name: String, _ value: T, _ old: T) {
        if value != old { put(name, value) }
    }

    /// Writes the fields of a group that differ.
    @inlinable public mutating func compare<T: FieldGroup>(_ name: String, _ value: T, _ old: T) {
        if value != old { replace(name, old, by: value) }
    }

    /// Writes the fields of a group that differ; all of them when one of the two is nil.
    @inlinable public mutating func compare<T: FieldGroup>(_ name: String, _ value: T?, _ old: T?) {
        if value != old { replace(name, old, by: value) }
    }

    /// Writes a property that differs, by its conversion.
    @inlinable public mutating func compare<C: FieldConversion>(
        _ name: String, _ value: C.Property, _ old: C.Property, by conversion: C
    ) {
        if value != old { put(name, value, by: conversion) }
    }

    /// Writes a property that differs, by its conversion, or null.
    @inlinable public mutating func compare<C: FieldConversion>(
        _ name: String, _ value: C.Property?, _ old: C.Property?, by conversion: C
    ) {
        if value != old { put(name, value, by: conversion) }
    }

    @usableFromInline mutating func replace<T: FieldGroup>(_ name: String, _ old: T?, by value: T?) {
        keepProblem { diff throws(FieldProblem) in try diff.writer.write(name, value, insteadOf: old) }
    }
}

/// Properties whose nil, or whose default, may stand for a field that is unknown. One that became unknown is written as
/// such. Those with a default are taken as optional ones that are not nil.
extension FieldDiff {
    /// Writes a property that differs. `place` is its index among the properties.
    @inlinable public mutating func compare<T: FieldValue>(_ name: String, _ value: T?, _ old: T?, at place: Int) {
        change(at: place, value != old) {
            $0.writeUnknown(name, as: T.self)
        } write: {
            $0.put(name, value)
        }
    }

    /// Writes the fields of a group that differ; all of them when one of the two is nil. `place` is the index of the
    /// group among the properties.
    @inlinable public mutating func compare<T: FieldGroup>(_ name: String, _ value: T?, _ old: T?, at place: Int) {
        change(at: place, value != old) {
            $0.writeUnknown(name, insteadOf: old)
        } write: {
            // A default that stood for an unknown group has written nothing: all parts are new.
            if $0.oldUnknown.contains(place) { $0.put(name, value) } else { $0.replace(name, old, by: value) }
        }
    }

    /// Writes a property that differs, by its conversion, or null. `place` is its index among the properties.
    @inlinable public mutating func compare<C: FieldConversion>(
        _ name: String, _ value: C.Property?, _ old: C.Property?, at place: Int, by conversion: C
    ) {
        change(at: place, value != old) {
            $0.writeUnknown(name, by: conversion)
        } write: {
            $0.put(name, value, by: conversion)
        }
    }

    /// Writes what became of a property: that it is unknown, unless it was before, or its value, if that differs or was
    /// unknown.
    @inlinable mutating func change(
        at place: Int, _ differs: @autoclosure () -> Bool, forget: (inout FieldWriter) -> Void,
        write: (inout FieldDiff) -> Void
    ) {
        if unknown.contains(place) {
            if !oldUnknown.contains(place) { forget(&writer) }
        } else if differs() || oldUnknown.contains(place) {
            write(&self)
        }
    }
}
