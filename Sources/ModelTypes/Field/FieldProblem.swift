import ModelRecord

/// A field that is in the way of reading or publishing a model.
public struct FieldProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field's name on the wire.
    public let field: String
    /// The fault of its value; nil when the field is unknown.
    public let fault: FieldFault?

    /// The problem of a field; no fault stands for an unknown field.
    public init(_ field: String, _ fault: FieldFault?) { (self.field, self.fault) = (field, fault) }

    /// The field, with the way to what is at fault within it, and the fault: `labels.0.text: 5 is not text`.
    public var description: String {
        guard let fault else { return "\(field): unknown" }
        if field.isEmpty { return fault.description }
        if fault.code == .incomplete { return "\(FieldName.path(field, fault.part).shown(byteCountMax: 512)): unknown" }
        let way = "\(fault.part): "
        guard !fault.part.isEmpty, fault.wanted.hasPrefix(way) else { return "\(field): \(fault)" }
        let path = FieldName.path(field, fault.part).shown(byteCountMax: 512)
        return "\(path): \(fault.words(fault.wanted.dropFirst(way.count)))"
    }
}
