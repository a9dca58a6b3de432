/// The deeds of a peer on its connection.
public struct PeerTally: Hashable, Sendable {
    /// How many requests have come, of any kind.
    public internal(set) var requestCount: UInt64 = 0
    /// How many batches it has pushed that were taken.
    public internal(set) var pushCount: UInt64 = 0
    /// How many requests were refused, whatever the reason.
    public internal(set) var refusedCount: UInt64 = 0
    /// How many of these it may not make.
    public internal(set) var deniedCount: UInt64 = 0
}
