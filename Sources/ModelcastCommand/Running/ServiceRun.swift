import Logging
import ServiceLifecycle
import UnixSignals

/// Runs services until SIGTERM or SIGINT, or until one of them ends; then the others stop in good order, the last
/// first.
/// - Throws: the first failure of a service.
func runUntilDone(_ services: [any Service], logger: Logger) async throws {
    let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
            services: services.map {
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await group.run()
}
