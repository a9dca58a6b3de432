public import ModelRecord

/// Collects the fields of one model, for a property `fields` that is written by hand: the reverse of ``FieldReader``.
///
/// ```swift
/// var writer = FieldWriter()
/// try writer.write("nick_name", nickName)
/// try writer.write("joined", joined, by: .iso8601)
/// return writer.fields
/// ```
public struct FieldWriter {
    /// What has been written; of a name that was written twice the last.
    public private(set) var fields: Fields = [:]

    public init() {}

    /// - Throws: ``FieldProblem`` for a value that no record holds.
    public mutating func write<T: FieldValue>(_ name: String, _ value: T) throws(FieldProblem) {
        do { fields[name] = try value.encoded() } catch { throw FieldProblem(name, error) }
    }

    /// - Throws: ``FieldProblem`` for what the conversion refuses, or no record holds.
    public mutating func write<C: FieldConversion>(
        _ name: String, _ property: C.Property, by conversion: C
    ) throws(FieldProblem) {
        do { fields[name] = try conversion.encode(property).encoded() } catch { throw FieldProblem(name, error) }
    }
}
