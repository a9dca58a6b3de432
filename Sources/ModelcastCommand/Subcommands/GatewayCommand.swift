import ArgumentParser
import Foundation
import Logging
import ModelRecord
import Modelcast
import ModelcastConsole
import ServiceLifecycle

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
            too: /readyz, /metrics. At an address that other machines reach, and with keys, --http-tokens says who may \
            read and write what.

            Models are only read, unless a relay is named to which writes are pushed. It has to be one that the copy \
            hears of, so that what was written can be read:

              $ modelcast gateway --connect tcp://127.0.0.1:7500 --name web --push tcp://127.0.0.1:7500 \
            --http 127.0.0.1:9464
              $ curl -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"age": 37}' \
            http://127.0.0.1:9464/v1/models/User/1
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
            "The name that publishers see, and under which it writes. Default: gateway- and the process's number.",
            valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Let requests write models, and push what they write to this relay, its control endpoint. Repeat it for "
                + "several. Needs --name.", valueName: "endpoint"))
    var push: [String] = []

    @Option(
        help: ArgumentHelp(
            "Keep what requests have written in this file, so that the next start pushes what no relay has got.",
            valueName: "file"))
    var writeStore: String?

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
            for endpoint in connect + push { _ = try ControlClient(endpoint: endpoint) }
            for type in type { try Names.check(type: type) }
            if let name { try Names.check(origin: name) }
        } catch {
            throw ValidationError("\(error)")
        }
        guard Set(push).count == push.count else {
            throw ValidationError("--push names a relay twice: two copies at one place are one copy")
        }
        guard push.isEmpty || name != nil else {
            throw ValidationError("--push needs --name: what is written is known by it, also after the next start")
        }
        guard !push.isEmpty || writeStore == nil else {
            throw ValidationError("--write-store keeps what requests have written: it needs --push")
        }
        try keys.check(connectingTo: connect + push, serving: nil)
        try console.requireModels(hasKeys: keys.own.hasKey)
    }

    func run() async throws {
        let logger = logs.makeLogger(leavingOut: Troubles.toldMessages)
        var configuration = SubscriberConfiguration(
            name: (name ?? "gateway-\(ProcessInfo.processInfo.processIdentifier)") + (push.isEmpty ? "" : ".copy"),
            publishers: connect)
        configuration.security = try keys.security()
        configuration.store = store
        configuration.tombstoneRetention = retention.tombstoneRetention.duration
        if !type.isEmpty { configuration.selection = .types(type) }
        let metrics = console.begin()
        let subscriber = try Subscriber(configuration, logger: logger)
        let plan = SubscribePlan(
            ids: nil, printsChanges: false, endsWhenLive: false, printsModels: false, printsDigest: false,
            timeout: nil)
        if !push.isEmpty, Set(push).isDisjoint(with: connect) {
            StandardError.write(
                line: "none of the relays of --push is among those of --connect: unless another one hears of it, what "
                    + "is written cannot be read here")
        }
        let writer = try makeWriter(configuration.security, logger: logger)
        let more =
            try keys.services(of: configuration.security, logger: logger)
            + console.services(
                of: .subscriber(subscriber), writer: writer, metrics, hasKeys: configuration.security != nil,
                logger: logger)
        let own: [any Service] = [subscriber] + (writer.map { [$0] } ?? [])
        try await runUntilDone(
            more + own
                + [SubscribePrinter(subscriber: subscriber, plan: plan, console: ConsoleOptions.console(in: more))],
            logger: logger)
        try tellUnpushed(writer)
    }

    /// Tells how many writes no relay has got when the gateway ends.
    private func tellUnpushed(_ writer: Publisher?) throws {
        guard let progress = writer?.pushProgress, !progress.isAcknowledged else { return }
        let reason = progress.failure.map { ": \($0)" } ?? ""
        guard let writeStore else {
            throw CommandFailure("what was written last has reached no relay, and is lost\(reason)")
        }
        throw CommandFailure(
            "what was written last has reached no relay; it is kept in \(writeStore), for the next start\(reason)")
    }

    /// The publisher that writes what requests say; nil where models are only read.
    private func makeWriter(_ security: Security?, logger: Logger) throws -> Publisher? {
        guard let name, !push.isEmpty else { return nil }
        var configuration = PublisherConfiguration(name: name, pushingTo: push)
        configuration.security = security
        configuration.store = writeStore
        configuration.keepsPushing = true
        configuration.tombstoneRetention = retention.tombstoneRetention.duration
        return try Publisher(configuration, logger: logger)
    }
}
