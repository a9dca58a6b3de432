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
    let run = Task { try await subscriber.run() }
    do {
        let result = try await body(subscriber)
        run.cancel()
        try await run.value
        return result
    } catch {
        run.cancel()
        throw error
    }
}
