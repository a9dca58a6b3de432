import CoreMetrics
import Logging
import Modelcast
import ModelcastConsole
import ServiceLifecycle
import UnixSignals

// What the articles "Watching a process" and "From other languages" quote. It is compiled, and not called: a process
// has one backend for metrics.

enum Watching {
    // example: console
    func serve(_ subscriber: Subscriber, logger: Logger) async throws {
        // Before anything is made that counts.
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        let console = Console(
            try ConsoleConfiguration("127.0.0.1:9464"), of: [.subscriber(subscriber)], metrics: metrics, logger: logger)
        let group = ServiceGroup(
            services: [console, subscriber], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
    // end example

    // example: gateway
    func serve(_ subscriber: Subscriber, tokens: String?, logger: Logger) async throws {
        let access = try tokens.map { Access(try GrantsFile.read($0)) }
        let console = Console(
            try ConsoleConfiguration("127.0.0.1:9464"), of: [.subscriber(subscriber)],
            gateway: ModelGateway(of: .subscriber(subscriber), tokens: access), logger: logger)
        let group = ServiceGroup(
            services: [console, subscriber], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
    // end example
}
