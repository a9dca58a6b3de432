public import ModelRecord

/// The partial model of a type that is written by hand: the record itself.
public struct RecordPartial<Complete: Model>: PartialModel {
    public typealias ID = Complete.ID

    /// The model's id.
    public let id: Complete.ID
    /// The record, which has what is known.
    public let record: CellRecord

    public init(id: Complete.ID, record: CellRecord) { (self.id, self.record) = (id, record) }

    /// The value of a field by its name on the wire; nil when the field is unknown.
    public subscript(field: String) -> Value? { record[field] }

    public func model() throws(FieldProblem) -> Complete { try Complete(id: id, record: record) }

    public var problems: [FieldProblem] {
        do {
            _ = try model()
            return []
        } catch {
            return [error]
        }
    }

    public func write(into sink: inout some FieldSink) throws(FieldProblem) {
        for cell in record.cells where cell.value != .undefined { try sink.write(cell.field, cell.value) }
    }
}
