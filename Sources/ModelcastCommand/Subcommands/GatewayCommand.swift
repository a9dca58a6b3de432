import ArgumentParser
import Foundation
import Modelcast
import ModelcastConsole

/// `modelcast gateway`: serves models over HTTP.
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Serves the models of publishers over HTTP, to programs of any language.",
        discussion: """
            Keeps a copy as a subscriber does, and answers from it:

              $ modelcast gateway --connect tcp://127.0.0.1:7400 --http 127.0.0.1:9464
              $ curl http://127.0.0.1:9464/v1/types
              $ curl http://127.0.0.1:9464/v1/models/User/1
              $ curl -N 'http://127.0.0.1:9464/v1/changes?type=User'

            The last one tells the state, then each change, for as long as it is read. Health and metrics are there, \
            too: /readyz, /metrics. Models are only read. At an address that other machines reach, and with keys, \
            --http-tokens says who may read what.
            """)

    @Option(
        help: ArgumentHelp(
            "The control endpoint of a publisher or relay: tcp://host:port or ipc:///path. Repeat it for several.",
            valueName: "endpoint"))
    var connect: [String]

    @Option(
        help: ArgumentHelp("Only models of this type. Repeat it for several; default: all types.", valueName: "type"))
    var type: [String] = []

    @Option(
        help: ArgumentHelp(
            "The name that publishers see. Default: gateway- and the process's number.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Keep the copy in this file: the next start has it at once and fetches what changed since. For this "
                + "gateway alone.", valueName: "file"))
    var store: String?

    @OptionGroup var keys: ServingKeyOptions

    @OptionGroup var retention: RetentionOptions

    @OptionGroup var console: ConsoleOptions

    @OptionGroup var logs: LogOptions

    func validate() throws {
        guard !connect.isEmpty else { throw ValidationError("--connect is missing: the endpoint of a publisher") }
        do {
            for endpoint in connect { _ = try ControlClient(endpoint: endpoint) }
            for type in type { try Names.check(type: type) }
            if let name { try Names.check(origin: name) }
        } catch {
            throw ValidationError("\(error)")
        }
        try keys.check(connectingTo: connect, serving: nil)
        try console.requireModels(hasKeys: keys.own.hasKey)
    }

    func run() async throws {
        let logger = logs.makeLogger(leavingOut: Troubles.toldMessages)
        var configuration = SubscriberConfiguration(
            name: name ?? "gateway-\(ProcessInfo.processInfo.processIdentifier)", publishers: connect)
        configuration.security = try keys.security()
        configuration.store = store
        configuration.tombstoneRetention = retention.tombstoneRetention.duration
        if !type.isEmpty { configuration.selection = .types(type) }
        let metrics = console.begin()
        let subscriber = try Subscriber(configuration, logger: logger)
        let plan = SubscribePlan(
            ids: nil, printsChanges: false, endsWhenLive: false, printsModels: false, printsDigest: false,
            timeout: nil)
        let more =
            try keys.services(of: configuration.security, logger: logger)
            + console.services(
                of: .subscriber(subscriber), metrics, hasKeys: configuration.security != nil, logger: logger)
        try await runUntilDone(
            more + [subscriber, SubscribePrinter(subscriber: subscriber, plan: plan)], logger: logger)
    }
}
