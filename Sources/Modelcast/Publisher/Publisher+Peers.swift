public import ModelSync

/// How far the subscribers of a publisher have come, as far as they have reported.
public struct Audience: Sendable {
    /// The subscribers that have reported and were heard of within the last seconds.
    public let subscribers: [Peer]
    /// Which of them have applied everything that was published; their positions in ``subscribers``.
    let upToDate: Set<Int>

    /// How many of them are live.
    public var liveCount: Int { subscribers.count { $0.isLive } }
    /// How many of them have reported everything as applied.
    public var upToDateCount: Int { upToDate.count }
    /// Each of them has reported everything as applied. True also when there is nobody.
    public var isUpToDate: Bool { upToDate.count == subscribers.count }
    /// The names of those that have not.
    public var lagging: [String] {
        subscribers.indices.filter { !upToDate.contains($0) }.map { subscribers[$0].name }.sorted()
    }
}

extension Publisher {
    /// How far the subscribers have come.
    ///
    /// They report once a second, and when their state changes. One that has ended without a word stays in it for
    /// some seconds.
    /// - Complexity: O(*subscribers* × *topics*), under the lock that writes take too: ask a few times a second.
    public var audience: Audience {
        core.withLock { core in
            let subscribers = core.origin.connectedPeers.filter { $0.report != nil }
            let isSent = !core.origin.hasOpenBatch
            let upToDate = subscribers.indices.filter { isSent && core.origin.isApplied(by: subscribers[$0]) }
            return Audience(subscribers: subscribers, upToDate: Set(upToDate))
        }
    }
}
