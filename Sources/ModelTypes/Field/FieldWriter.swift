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
        guard let value, let old else { return try write(name, value) }
        var (now, before) = (FieldWriter(), FieldWriter())
        try now.write(name, value)
        // An old value that cannot be published was never published: all fields count as different.
        guard (try? before.write(name, old)) != nil else { return try write(name, value) }
        for pair in now.fields.changes(since: before.fields).pairs { fields[pair.field] = pair.value }
    }

    /// Makes a field unknown again when these fields are merged.
    /// - Parameter type: the type of the property.
    public mutating func writeUnknown<T: FieldValue>(_ name: String, as type: T.Type) { fields[name] = .undefined }

    /// Makes the fields of a group unknown again when these fields are merged.
    public mutating func writeUnknown<T: FieldGroup>(_ name: String, as type: T.Type) {
        for member in FieldName.members(name, of: type) { fields[member] = .undefined }
    }

    /// Makes a field unknown again when these fields are merged.
    public mutating func writeUnknown<C: FieldConversion>(_ name: String, by conversion: C) {
        fields[name] = .undefined
    }
}
