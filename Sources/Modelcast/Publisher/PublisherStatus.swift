public import ModelSync

/// What a publisher can say of itself at any moment.
public struct PublisherStatus: Sendable {
    /// What was counted: what was sent, and what peers have asked for, with the reasons for which they were refused.
    public let counters: Counters
    /// Who listens to it, or has asked it something within the last seconds, with their last reports.
    public let peers: [Peer]
    /// The bytes of batches that are held for replay.
    public let replayByteCount: Int
    /// How far its stamps lie ahead of its clock: more than some milliseconds where that was ahead, or was set back.
    public let clockLead: Duration
}

extension Publisher {
    /// What was counted, and who listens.
    /// - Complexity: O(*peers*), under the lock that writes take too: ask a few times a second.
    public var status: PublisherStatus {
        core.withLock { core in
            PublisherStatus(
                counters: core.origin.counters, peers: core.origin.connectedPeers,
                replayByteCount: core.origin.ring.byteCount, clockLead: core.origin.clockLead(now: Clocks.now()))
        }
    }
}
