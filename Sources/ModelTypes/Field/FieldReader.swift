public import ModelRecord

/// Reads the fields of a record, for an initialiser that is written by hand.
///
/// ```swift
/// init(id: String, record: CellRecord) throws(FieldProblem) {
///     var reader = FieldReader(record)
///     self.id = id
///     nickName = try reader.read("nick_name")
///     age = try reader.read("age")
///     colour = try reader.read("colour", default: .red)
///     joined = try reader.read("joined", by: .iso8601)
/// }
/// ```
public struct FieldReader: FieldSource {
    private var cursor: FieldCursor

    /// Begins before the first field.
    public init(_ record: CellRecord) { cursor = FieldCursor(record) }

    public mutating func state<T: FieldValue>(_ name: FieldName, as type: T.Type) -> FieldState<T> {
        guard cursor.find(name) else { return .unknown }
        if cursor.isNull { return .null }
        do { return .value(try T.read(cursor)) } catch { return .faulty(error) }
    }
}
