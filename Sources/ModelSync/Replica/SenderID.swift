/// One sender that a replica listens to: a publisher or a relay.
public struct SenderID: Hashable, Sendable {
    /// The number of the sender, in the order in which senders were added, from 0.
    public let index: Int

    /// The sender with this number.
    public init(index: Int) { self.index = index }
}
