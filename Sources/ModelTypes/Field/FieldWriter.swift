public import ModelRecord

/// Collects the fields of one model, for a property `fields` that is written by hand: the reverse of ``FieldReader``.
///
/// ```swift
/// var writer = FieldWriter()
/// try writer.write("nick_name", nickName)
/// try writer.write("joined", joined, by: .iso8601)
/// return writer.fields
/// ```
public struct FieldWriter: FieldSink {
    /// The fields that have been written; for a name that was written twice, the last value.
    public private(set) var fields: Fields = [:]
    public var problem: FieldProblem?

    /// A writer without fields.
    public init() {}

    public mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem) {
        do { fields[name] = try value.encoded() } catch { throw FieldProblem(name, error) }
    }

    /// Writes the fields of a group that differ from those of `old`; all known ones when one of the two is nil.
    /// A part that became unknown is written as such.
    mutating func write<T: FieldGroup>(_ name: String, _ value: T?, insteadOf old: T?) throws(FieldProblem) {
        guard let value, let old else {
            try write(name, value)
            return openPlaces(name, of: T.self)
        }
        var (now, before) = (FieldWriter(), FieldWriter())
        try now.write(name, value)
        // An old value that cannot be published was never published: all fields count as different.
        guard (try? before.write(name, old)) != nil else { return try write(name, value) }
        for pair in now.fields.changes(since: before.fields).pairs { fields[pair.field] = pair.value }
    }

    /// Makes the parts unknown again that an object says nothing of, where there was none: null in all of them would be
    /// none still.
    private mutating func openPlaces<T: FieldGroup>(_ name: String, of type: T.Type) {
        for place in T.places where fields[FieldName.path(name, place)] == .map([:]) {
            for part in T.fieldNames.within(place) {
                let field = FieldName.path(name, FieldName.path(place, part))
                if fields[field] == nil { fields[field] = .undefined }
            }
        }
    }

    /// Makes the field of a property of this type unknown again when these fields are merged.
    public mutating func writeUnknown<T: FieldValue>(_ name: String, as type: T.Type) { fields[name] = .undefined }

    /// Makes the fields of a group unknown again when these fields are merged.
    public mutating func writeUnknown<T: FieldGroup>(_ name: String, as type: T.Type) {
        for member in FieldName.members(name, of: type) { fields[member] = .undefined }
    }

    /// Makes the fields of a group unknown again when these fields are merged, with all that `old` has written.
    @usableFromInline mutating func writeUnknown<T: FieldGroup>(_ name: String, insteadOf old: T?) {
        writeUnknown(name, as: T.self)
        var before = FieldWriter()
        // An old value that cannot be published was never published.
        guard (try? before.write(name, old)) != nil else { return }
        for pair in before.fields.pairs { fields[pair.field] = .undefined }
    }

    /// Makes a field unknown again when these fields are merged.
    public mutating func writeUnknown<C: FieldConversion>(_ name: String, by conversion: C) {
        fields[name] = .undefined
    }
}
