/// Why a model has changed, as far as the change itself tells. New reasons may be added.
public struct ChangeReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name of the reason, as the command prints it.
    public let rawValue: String
    /// A reason by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The state at the time of registration.
    public static let initial = ChangeReason(rawValue: "initial")
    /// A write, by whomever.
    public static let written = ChangeReason(rawValue: "written")
    /// A delete, by whomever.
    public static let deleted = ChangeReason(rawValue: "deleted")
    /// The end of the model's time, at which the publisher that had said so has deleted it.
    public static let expired = ChangeReason(rawValue: "expired")

    /// The end of the model's lease: its publisher has not been heard of for that long.
    public static let leaseEnded = ChangeReason(rawValue: "lease-ended")
    /// The model has left the copy for its limits. It may exist all the same: see `presence(of:_:)`. Told to observers
    /// that have asked for evictions.
    public static let evicted = ChangeReason(rawValue: "evicted")
    /// The publisher of a model whose lease had ended is back, and so is the model.
    public static let returned = ChangeReason(rawValue: "returned")

    public var description: String { rawValue }
}
