import Foundation
import Logging
import Modelcast
import ServiceLifecycle
import UnixSignals

/// The means that the processes of a play share.
struct Stage: Sendable {
    let play: any Play.Type

    /// Starts a process that plays a part.
    func start(_ role: String, _ arguments: String...) throws -> OtherProcess {
        try OtherProcess(arguments.first ?? role, ["act", play.name, role] + arguments)
    }

    /// Says a line to the process that has started this one.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// Runs a publisher, relay or subscriber until the process is told to end, and something beside it. When it is
    /// told, what runs beside ends first.
    func run(_ service: any Service, _ beside: @escaping @Sendable () async throws -> Void) async throws {
        let services = [
            ServiceGroupConfiguration.ServiceConfiguration(service: service),
            .init(service: Beside(body: beside), successTerminationBehavior: .ignore),
        ]
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm], logger: Stage.quiet)
        ).run()
    }

    private struct Beside: Service {
        let body: @Sendable () async throws -> Void

        func run() async throws { try await body() }
    }

    static var quiet: Logger { Logger(label: "examples") { _ in SwiftLogNoOpLogHandler() } }
}
