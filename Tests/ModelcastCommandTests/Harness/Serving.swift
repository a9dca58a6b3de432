import Logging
import Modelcast

/// Runs a publisher in the test's own process while `body` does its work: what it counts can be looked at, and it may
/// have more types than one process of `modelcast publish`.
/// - Parameters:
///   - typeCount: how many types it has, `T0` and so on, with one model each.
///   - control: where it serves.
func serving<R: Sendable>(
    typeCount: Int, at control: String, _ body: (Publisher) async throws -> R
) async throws -> R {
    let configuration = PublisherConfiguration(name: "p", endpoints: try SenderEndpoints(control: control))
    let publisher = try Publisher(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    for type in 0..<typeCount { try publisher.merge("T\(type)", "1", ["n": 1]) }
    return try await beside(Task { try await publisher.run() }) {
        _ = try await publisher.boundEndpoints
        return try await body(publisher)
    }
}
