public import ModelRecord

/// Reads the fields of one model: for an initialiser that is written by hand.
///
/// ```swift
/// init(id: String, record: Record) throws {
///     var reader = FieldReader(record)
///     self.id = id
///     nickName = try reader.read("nick_name")
///     age = try reader.read("age")
///     colour = try reader.read("colour", default: .red)
///     joined = try reader.read("joined", by: .iso8601)
/// }
/// ```
/// Fields may be read in any order; in that of ``FieldName``, shorter names first, all are found in one pass.
public struct FieldReader {
    private var cursor: FieldCursor

    public init(_ record: Record) { cursor = FieldCursor(record) }

    /// The field's value as a Swift type. Of an optional type nil, where the field is unknown or null.
    /// - Throws: ``FieldProblem``: the field is unknown or null where there must be something, or holds what the type
    ///   cannot.
    public mutating func read<T: FieldValue>(_ name: FieldName, as type: T.Type = T.self) throws(FieldProblem) -> T {
        guard cursor.find(name) else {
            guard let value = T.whenUnknown else { throw FieldProblem(name.text, nil) }
            return value
        }
        do { return try T.read(cursor) } catch { throw FieldProblem(name.text, error) }
    }

    /// The field's value as a Swift type; `value` where the field is unknown or null.
    /// - Throws: ``FieldProblem``: the field holds what the type cannot.
    public mutating func read<T: FieldValue>(
        _ name: FieldName, default value: @autoclosure () -> T
    ) throws(FieldProblem) -> T {
        guard cursor.find(name), !cursor.isNull else { return value() }
        do { return try T.read(cursor) } catch { throw FieldProblem(name.text, error) }
    }

    /// What a conversion makes of the field's value.
    /// - Throws: ``FieldProblem``, as ``read(_:as:)``, and where the conversion does.
    public mutating func read<C: FieldConversion>(
        _ name: FieldName, by conversion: C
    ) throws(FieldProblem) -> C.Property {
        let wire = try read(name, as: C.Wire.self)
        do { return try conversion.decode(wire) } catch { throw FieldProblem(name.text, error) }
    }
}
