/// A field that a Swift type cannot be made with, or that cannot be made of one.
public struct FieldProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field's name on the wire.
    public let field: String
    /// What is wrong with its value; nil where the field is unknown.
    public let fault: FieldFault?

    public init(_ field: String, _ fault: FieldFault?) { (self.field, self.fault) = (field, fault) }

    public var description: String { "\(field): \(fault?.description ?? "unknown")" }
}
