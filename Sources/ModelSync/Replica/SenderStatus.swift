/// What a replica can say of one sender at any moment.
public struct SenderStatus: Sendable {
    public let sender: SenderID
    /// The sender's own name; empty before the first welcome.
    public let name: String
    public let state: ReplicaState
    /// How long the state has lasted.
    public let lasted: Duration
    /// How long ago the sender was heard of.
    public let silent: Duration
    public let lastError: String?
    /// It has been live at least once, so the cache holds all that the sender had by then.
    public let wasLive: Bool
    /// How often what it said of other origins was not so.
    public let contradictedHeads: UInt64
}
