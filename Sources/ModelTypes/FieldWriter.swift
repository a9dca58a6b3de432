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
