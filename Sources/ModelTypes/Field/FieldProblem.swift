/// A field that is in the way of reading or publishing a model.
public struct FieldProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field's name on the wire.
    public let field: String
    /// What is wrong with its value; nil when the field is unknown.
    public let fault: FieldFault?

    /// The problem of a field; no fault stands for an unknown field.
    public init(_ field: String, _ fault: FieldFault?) { (self.field, self.fault) = (field, fault) }

    public var description: String { "\(field): \(fault?.description ?? "unknown")" }
}
