extension Publisher {
    /// How far the subscribers have come.
    ///
    /// Subscribers report once a second, and when their state changes. One that has ended without a message is still
    /// counted for some seconds.
    /// - Complexity: O(*subscribers* × *topics*), under the lock that writes take, too: call it a few times a second at
    ///   most.
    public var audience: Audience {
        core.withLock { core in
            let subscribers = core.origin.connectedPeers.filter { $0.report != nil }
            let isSent = !core.origin.hasOpenBatch
            let upToDate = subscribers.indices.filter { isSent && core.origin.isApplied(by: subscribers[$0]) }
            return Audience(subscribers: subscribers, upToDate: Set(upToDate))
        }
    }
}
