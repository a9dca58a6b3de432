extension Relay {
    /// Waits until this relay has applied what a token names: see ``Subscriber/waitUntilApplied(_:timeout:)``.
    public func waitUntilApplied(_ token: WriteToken, timeout: Duration = .seconds(5)) async throws {
        try await applied.wait(for: token, on: self, called: configuration.name, limit: timeout) { $0.status.streams }
    }
}
