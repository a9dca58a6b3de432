public import ModelRecord

/// The refusal of a batch because its stamp lies too far ahead of the clock of the relay.
public struct ClockRefusal: Sendable {
    /// The number of the relay, as ``Pusher/addRelay()`` has returned it.
    public let relay: Int
    /// The start of the origin that the batch is of.
    public let incarnation: UInt64
    /// The code and message of the relay.
    public let reason: String
    /// The greatest stamp that any relay has acknowledged.
    public let taken: Stamp
}
