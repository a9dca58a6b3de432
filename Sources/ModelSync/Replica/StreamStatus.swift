public import ModelWire

/// The state of one stream at a moment, as the replica knows it.
public struct StreamStatus: Sendable {
    /// The origin whose batches the stream has.
    public let origin: String
    /// The data topic of the stream.
    public let topic: Topic
    /// The start of the origin that is followed.
    public let incarnation: UInt64
    /// The state of this stream alone.
    public let state: ReplicaState
    /// How long the state has lasted.
    public let lasted: Duration
    /// The last sequence that the origin is known to have sent.
    public let head: UInt64
    /// Every sequence up to this one has been applied and is in the cache. Parts of transactions that still wait for
    /// others do not count.
    public let applied: UInt64
    /// How many sequences before the last known one are missing.
    public let missing: UInt64
    /// A hole was found that has not been mended yet, whatever the state is.
    public let hasOpenHole: Bool
    /// Why the state is what it is: what was found, or how it was mended last; nil where nothing ever happened.
    public let reason: String?
    /// How many holes were found.
    public let holesFound: UInt64
    /// How often holes were mended, by the means.
    public let holesMended: [Mending: UInt64]
    /// From finding the last hole to its end.
    public let lastRepair: Duration?
    /// The longest time in which nothing fresh was known of the stream.
    public let longestStale: Duration
    /// How many batches were left out because they stayed malformed.
    public let quarantined: UInt64
    /// The last sequences that were left out.
    public let quarantinedSequences: [UInt64]

    /// Holes that closed by themselves.
    public var holesFilled: UInt64 { holesMended[.filled] ?? 0 }
    /// Holes mended by a snapshot.
    public var holesMendedBySnapshot: UInt64 { holesMended[.snapshot] ?? 0 }
}
