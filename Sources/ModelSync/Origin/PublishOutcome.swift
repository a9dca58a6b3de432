/// What became of a write.
public enum PublishOutcome: Hashable, Sendable {
    /// Merged into the origin's own copy and on its way, with this stamp.
    case published(stamp: UInt64)
    /// Every field had this value already: nothing was sent.
    case unchanged
}
