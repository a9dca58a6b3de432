extension Subscriber {
    /// Waits until this subscriber has applied what a token names: then a read finds it, or what was written over it.
    ///
    /// Parts of transactions that still wait for others do not count as applied. A token of types that this subscriber
    /// does not take is never applied.
    /// - Parameters:
    ///   - token: what a publisher had written: ``Publisher/writeToken``.
    ///   - timeout: how long to wait at most.
    /// - Throws: ``ModelcastError`` with code `timeout` when that takes longer, `conflict` where the publisher has
    ///   started anew since, `stopped` when this subscriber stops first; `CancellationError` when the task is
    ///   cancelled.
    public func waitUntilApplied(_ token: WriteToken, timeout: Duration = .seconds(5)) async throws {
        try await applied.wait(for: token, on: self, called: configuration.name, limit: timeout) { $0.status.streams }
    }
}
