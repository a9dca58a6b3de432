/// Why a model has changed, as far as the change itself tells. New reasons may be added.
public struct ChangeReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name of the reason, as the command prints it.
    public let rawValue: String
    /// A reason by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The model was there at the time of registration.
    public static let initial = ChangeReason(rawValue: "initial")
    /// Somebody has written the model.
    public static let written = ChangeReason(rawValue: "written")
    /// Somebody has deleted the model.
    public static let deleted = ChangeReason(rawValue: "deleted")
    /// The model's time was over, and the publisher that had said so has ended it.
    public static let expired = ChangeReason(rawValue: "expired")

    public var description: String { rawValue }
}
