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
    /// What has been written; of a name that was written twice the last.
    public private(set) var fields: Fields = [:]

    /// Nothing yet.
    public init() {}

    public mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem) {
        do { fields[name] = try value.encoded() } catch { throw FieldProblem(name, error) }
    }

    /// Writes a value that differs from another one.
    public mutating func write<T: FieldValue>(_ name: String, _ value: T, insteadOf old: T) throws(FieldProblem) {
        try write(name, value)
    }

    /// Writes the fields of a group that differ from those of another one.
    public mutating func write<T: FieldGroup>(_ name: String, _ value: T, insteadOf old: T) throws(FieldProblem) {
        var (now, before) = (FieldWriter(), FieldWriter())
        try now.write(name, value)
        // What could not be published is no state that anybody has: then all of it differs.
        guard (try? before.write(name, old)) != nil else { return try write(name, value) }
        for pair in now.fields.changes(since: before.fields).pairs { fields[pair.field] = pair.value }
    }

    /// Writes the fields of a group that differ from those of another one; all of them, where one of the two is nil.
    public mutating func write<T: FieldGroup>(_ name: String, _ value: T?, insteadOf old: T?) throws(FieldProblem) {
        guard let value, let old else { return try write(name, value) }
        try write(name, value, insteadOf: old)
    }

    /// Makes a field unknown again, once this is merged.
    /// - Parameter type: that of the property.
    public mutating func writeUnknown<T: FieldValue>(_ name: String, as type: T.Type) { fields[name] = .undefined }

    /// Makes the fields of a group unknown again, once this is merged.
    public mutating func writeUnknown<T: FieldGroup>(_ name: String, as type: T.Type) {
        for member in FieldName.members(name, of: type) { fields[member] = .undefined }
    }

    /// Makes a field unknown again, once this is merged.
    public mutating func writeUnknown<C: FieldConversion>(_ name: String, by conversion: C) {
        fields[name] = .undefined
    }
}
