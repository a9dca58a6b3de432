import Logging
import Modelcast
import TestSupport
import Testing

/// A logger that says nothing.
let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Runs a publisher and a subscriber of it while `body` does its work, then ends both.
func withPair<R: Sendable>(
    endpoint: String = "tcp://127.0.0.1:*", selection: SubscriberConfiguration.Selection = .everything,
    modelLimits: CacheLimits = CacheLimits(), prefetch: SubscriberConfiguration.Prefetch = .all,
    configure: (inout PublisherConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (Publisher, Subscriber) async throws -> R
) async throws -> R {
    var configuration = PublisherConfiguration(
        name: "publisher", endpoints: try SenderEndpoints(control: endpoint))
    configuration.heartbeatInterval = .milliseconds(50)
    configure(&configuration)
    let publisher = try Publisher(configuration, logger: silent)
    return try await running(publisher) { endpoints in
        try await subscribing(
            to: [endpoints.control], selection: selection, modelLimits: modelLimits, prefetch: prefetch
        ) { subscriber in
            try await subscriber.waitUntilLive()
            return try await body(publisher, subscriber)
        }
    }
}

/// Serves while `body` runs.
func running<R: Sendable>(
    _ publisher: Publisher, _ body: @escaping @Sendable (SenderEndpoints) async throws -> R
) async throws -> R {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await publisher.run() }
        let result = try await body(try await publisher.boundEndpoints)
        group.cancelAll()
        try await group.waitForAll()
        return result
    }
}

/// Listens while `body` runs.
func subscribing<R: Sendable>(
    to endpoints: [String], selection: SubscriberConfiguration.Selection = .everything,
    modelLimits: CacheLimits = CacheLimits(), prefetch: SubscriberConfiguration.Prefetch = .all,
    _ body: @escaping @Sendable (Subscriber) async throws -> R
) async throws -> R {
    var configuration = SubscriberConfiguration(name: "subscriber", publishers: endpoints)
    configuration.selection = selection
    configuration.modelLimits = modelLimits
    configuration.prefetch = prefetch
    let subscriber = try Subscriber(configuration, logger: silent)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await subscriber.run() }
        let result = try await body(subscriber)
        group.cancelAll()
        try await group.waitForAll()
        return result
    }
}

/// The digests of all types, once they are equal; nil when they do not become equal.
func becomeEqual(_ publisher: Publisher, _ subscriber: Subscriber) async -> Bool {
    await eventually {
        publisher.cache.types.allSatisfy {
            publisher.cache.digest(of: $0) == subscriber.cache.digest(of: $0)
        }
    }
}
