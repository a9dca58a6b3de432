import Logging
import Modelcast

/// Runs a subscriber in the test's own process while `body` does its work: what it counts and holds can be looked at.
/// - Parameter control: where it can be asked.
func listening<R: Sendable>(
    to endpoints: [String], control: String? = nil, _ body: (Subscriber) async throws -> R
) async throws -> R {
    var configuration = SubscriberConfiguration(name: "listener", publishers: endpoints)
    configuration.control = control
    let subscriber = try Subscriber(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return try await beside(Task { try await subscriber.run() }) { try await body(subscriber) }
}
