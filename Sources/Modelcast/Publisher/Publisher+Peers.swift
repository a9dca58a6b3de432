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
