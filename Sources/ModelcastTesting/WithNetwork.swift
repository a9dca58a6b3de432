public import Logging
public import Modelcast

/// Calls `body` with a network of memory, and stops its services afterwards.
/// - Parameters:
///   - logger: where the services log; by default nowhere.
/// - Throws: what `body` throws; the error with which a service ended.
public func withNetwork<Result>(
    isolation: isolated (any Actor)? = #isolation, logger: Logger? = nil,
    _ body: (TestNetwork) async throws -> Result
) async throws -> Result {
    let network = TestNetwork(logger: logger ?? Logger(label: "modelcast.test") { _ in SwiftLogNoOpLogHandler() })
    let result: Result
    do {
        result = try await body(network)
    } catch {
        // The first error says more than what comes of stopping.
        try? await network.end()
        throw error
    }
    try await network.end()
    return result
}

/// Calls `body` with a publisher and a subscriber of it, which are connected, and their network.
///
/// ```swift
/// try await withPair { publisher, subscriber, network in
///     _ = try publisher.merge(User(id: "1", name: "Anna"))
///     try await network.settle()
///     #expect(subscriber[lastGood: User.self, "1"]?.name == "Anna")
/// }
/// ```
/// The publisher is called `publisher`, the subscriber `subscriber`.
/// - Throws: what `body` throws; the error with which a service ended; ``TestNetworkError``.
public func withPair<Result>(
    isolation: isolated (any Actor)? = #isolation, logger: Logger? = nil,
    _ body: (Publisher, Subscriber, TestNetwork) async throws -> Result
) async throws -> Result {
    try await withNetwork(logger: logger) { network in
        let publisher = try await network.publisher()
        let subscriber = try network.subscriber()
        try await network.settle()
        return try await body(publisher, subscriber, network)
    }
}
