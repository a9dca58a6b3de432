extension Relay {
    /// Waits until this relay has applied what a token names: see ``Subscriber/waitUntilApplied(_:timeout:)``.
    public func waitUntilApplied(_ token: WriteToken, timeout: Duration = .seconds(5)) async throws {
        let name = configuration.name
        let done: Void? = try await applied.wait(on: self, limit: timeout) { core in
            token.outcome(core.status.streams, core.isStopped, name)
        }
        if done == nil { throw token.lateness(timeout, name) }
    }
}
