/// The outcome of a write.
public enum PublishOutcome: Hashable, Sendable {
    /// The write was merged into the own copy of the origin and is on its way, with this stamp.
    case published(stamp: UInt64)
    /// Every field had its value already, and nothing was sent.
    case unchanged
}
