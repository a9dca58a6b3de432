public import ModelRecord

/// A relay does not take a batch for its stamp.
public struct ClockRefusal: Sendable {
    public let relay: Int
    /// The start of the origin that the batch is of.
    public let incarnation: UInt64
    /// What the relay says.
    public let reason: String
    /// The greatest stamp that any relay has acknowledged.
    public let taken: Stamp
}
