import ArgumentParser
import ModelRecord
import Modelcast
import ModelcastConsole
import ServiceLifecycle

/// `modelcast relay`: runs a relay.
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Merges what publishers and other relays send, and serves it to subscribers.",
        discussion: """
            Subscribers connect to a relay as to a publisher:

              $ modelcast relay --name relay-a --connect tcp://10.0.0.5:7400 --bind tcp://127.0.0.1:7500
              $ modelcast subscribe --connect tcp://127.0.0.1:7500

            Two relays with the same publishers are availability: a subscriber with both in --connect takes each \
            batch once and goes on when one of them is killed. Relays may be chained.

            Short-lived jobs push to it: `modelcast publish --push tcp://127.0.0.1:7500 …`.

            With --store a restart goes on with what is in the file, and a push is acknowledged once it is on disk:

              $ modelcast relay --name relay-a --bind tcp://127.0.0.1:7500 --store relay-a.store

            On standard error stands first where the relay serves, in one line: \
            control tcp://127.0.0.1:7500 stream tcp://127.0.0.1:7501. SIGTERM and SIGINT end it with exit code 0.
            """)

    @Option(
        help: ArgumentHelp(
            "The name of this relay, unique among relays and publishers; A-Z a-z 0-9 _ . -", valueName: "name"))
    var name: String

    @Option(
        help: ArgumentHelp(
            "The control endpoint of a publisher or relay to listen to. Repeat it for several; none: pushes only.",
            valueName: "endpoint"))
    var connect: [String] = []

    @Option(
        help: ArgumentHelp(
            "Where it serves: tcp://host:port, port * for any free one, or ipc:///path.", valueName: "endpoint"))
    var bind: String

    @Option(
        help: ArgumentHelp(
            "Where batches are sent. Default: the next port, any free one for *, or the path with -stream behind it.",
            valueName: "endpoint"))
    var stream: String?

    @Option(help: ArgumentHelp("Only models of this type. Repeat it for several; default: all.", valueName: "type"))
    var type: [String] = []

    @Option(
        help: ArgumentHelp(
            "Keep the models and what was pushed in this file. For this relay alone.", valueName: "file"))
    var store: String?

    @OptionGroup var replay: ReplayOptions
    @OptionGroup var answers: AnswersOption

    @OptionGroup var reach: InsecureOption

    @OptionGroup var keys: ServingKeyOptions

    @OptionGroup var ports: StreamPortsOption

    @OptionGroup var retention: RetentionOptions

    @OptionGroup var console: ConsoleOptions

    @OptionGroup var logs: LogOptions

    func validate() throws {
        var served: SenderEndpoints?
        do {
            try Names.check(origin: name)
            for type in type { try Names.check(type: type) }
            served = try SenderEndpoints(control: bind, stream: stream)
            for endpoint in connect { _ = try ControlClient(endpoint: endpoint) }
        } catch {
            throw ValidationError("\(error)")
        }
        try keys.check(connectingTo: connect, serving: served, reach)
        try ports.check(keys, serving: served)
    }

    func run() async throws {
        let logger = logs.makeLogger()
        var configuration = RelayConfiguration(
            name: name, endpoints: try SenderEndpoints(control: bind, stream: stream), publishers: connect)
        configuration.allowsRemote = reach.insecure
        configuration.security = try keys.security()
        configuration.security?.streamPorts = ports.streamPorts?.ports
        configuration.store = store
        configuration.tombstoneRetention = retention.tombstoneRetention.duration
        configuration.replayByteCount = replay.replayByteCount
        configuration.answersByteCount = answers.byteCount
        configuration.replayAge = replay.replayAge.duration
        if !type.isEmpty { configuration.selection = .types(type) }
        let metrics = console.begin()
        let relay = try Relay(configuration, logger: logger)
        let more =
            try keys.services(of: configuration.security, logger: logger)
            + console.services(of: .relay(relay), metrics, hasKeys: configuration.security != nil, logger: logger)
        try await runUntilDone(more + [relay, RelayAnnouncer(relay: relay)], logger: logger)
    }
}

/// Tells where the relay serves, and waits until the service group shuts down.
private struct RelayAnnouncer: Service {
    let relay: Relay

    func run() async throws {
        let endpoints = try await relay.boundEndpoints
        StandardError.write(line: "control \(endpoints.control) stream \(endpoints.stream)")
        SystemdNotifier.ready("serving at \(endpoints.control)")
        defer { SystemdNotifier.stopping() }
        try? await gracefulShutdown()
    }
}
