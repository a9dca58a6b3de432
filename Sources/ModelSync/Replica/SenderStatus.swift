/// The state of one sender at a moment, as the replica knows it.
public struct SenderStatus: Sendable {
    /// The sender that the status is of.
    public let sender: SenderID
    /// The sender's own name; empty before the first welcome.
    public let name: String
    /// The state of the replica towards the sender.
    public let state: ReplicaState
    /// How long the state has lasted.
    public let lasted: Duration
    /// How long ago the sender was heard of.
    public let silent: Duration
    /// The last failure, in words for a person; nil where there was none since the sender became live.
    public let lastError: String?
    /// The sender has been live at least once, so the cache holds all that it had by then.
    public let wasLive: Bool
    /// How often what the sender said of other origins was contradicted.
    public let contradictedHeads: UInt64
}
