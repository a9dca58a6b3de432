/// Why a type, id, field or origin name is refused.
public struct NameError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Which kind of name: `type`, `id`, `field` or `origin`.
    public let kind: String
    /// The reason: the fault of the name, and the form of a right one.
    public let reason: String

    public var description: String { "\(kind) \(reason)" }
}
