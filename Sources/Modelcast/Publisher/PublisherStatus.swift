public import ModelSync

/// The state of a publisher at one moment.
public struct PublisherStatus: Sendable {
    /// The counters of batches sent, requests of peers, and refusals by reason.
    public let counters: Counters
    /// The peers that listen, or have asked something within the last seconds, with their last reports.
    public let peers: [Peer]
    /// The refusals, and to whom: each kind of each peer once, the last one first, at most 256.
    public let errors: [DistinctError]
    /// How many bytes of writes have not been sent yet. At ``PublisherConfiguration/outboxByteCount`` they are refused.
    public let outboxByteCount: Int
    /// How many bytes of batches are held for replay.
    public let replayByteCount: Int
    /// How far the publisher's stamps lie ahead of its clock. It is more than some milliseconds where the clock was
    /// ahead or was set back.
    public let clockLead: Duration
}

extension Publisher {
    /// The counters and the peers at this moment.
    /// - Complexity: O(*peers*), under the lock that writes take, too: call it a few times a second at most.
    public var status: PublisherStatus {
        core.withLock { core in
            PublisherStatus(
                counters: core.origin.counters, peers: core.origin.connectedPeers,
                errors: core.origin.distinctErrors.all,
                outboxByteCount: core.origin.pendingByteCount + core.heldByteCount,
                replayByteCount: core.origin.ring.byteCount, clockLead: core.origin.clockLead(now: clock.now()))
        }
    }
}
