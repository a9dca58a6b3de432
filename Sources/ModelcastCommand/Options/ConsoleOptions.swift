import ArgumentParser
import Logging
import Metrics
import Modelcast
import ModelcastConsole
import ServiceLifecycle

/// Whether a process answers over HTTP how it is, and where.
struct ConsoleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Answer /livez, /readyz and /metrics there, and /v1 with the models: 127.0.0.1:9464. Models are served to "
                + "whoever has a token (--http-tokens); without it at 127.0.0.1 only, by a process without keys. "
                + "Default: nowhere.",
            valueName: "host:port"))
    var http: String?

    @Option(
        help: ArgumentHelp(
            "A file that says which token may read and write what at --http, as --grants does for keys (modelcast "
                + "keygen --token). Read again at SIGHUP.",
            valueName: "file"))
    var httpTokens: String?

    @Option(
        help: ArgumentHelp(
            "A name by which --http may be asked, beside localhost and addresses. Repeat it for several.",
            valueName: "name"))
    var httpName: [String] = []

    @Option(
        help: ArgumentHelp(
            "A site whose pages may ask --http, as a browser says it: https://app.example.com. Repeat it for several.",
            valueName: "origin"))
    var httpOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "For how long a sender or a stream may not be live before /readyz says 503. Default: 15.",
            valueName: "seconds"))
    var staleAfter: Seconds?

    @Option(
        help: ArgumentHelp(
            "How many bytes of changes --http keeps, to go on with event streams and to tell who wrote what: 65536, "
                + "64KiB, 8MiB. 0 keeps none. Default: 8MiB.", valueName: "bytes"))
    var history: ByteCount?

    func validate() throws {
        let isBare = httpName.isEmpty && httpOrigin.isEmpty && httpTokens == nil && staleAfter == nil && history == nil
        guard http != nil || isBare else {
            throw ValidationError(
                "--http-name, --http-origin, --http-tokens, --stale-after and --history say how --http answers: give "
                    + "--http HOST:PORT")
        }
        for origin in httpOrigin where !origin.contains("://") || origin.hasSuffix("/") || origin.contains("*") {
            throw ValidationError("--http-origin is a site as browsers say it, https://app.example.com, not \(origin)")
        }
        _ = try configuration()
    }

    private func configuration() throws -> ConsoleConfiguration? {
        guard let http else { return nil }
        do {
            var configuration = try ConsoleConfiguration(http)
            configuration.hostNames = httpName
            configuration.origins = httpOrigin
            if let staleAfter { configuration.staleAfter = staleAfter.duration }
            return configuration
        } catch {
            throw ValidationError("--http: \(error.message)")
        }
    }

    /// Models are served to whoever reaches the console: processes of this machine, which could as well connect to a
    /// process without keys.
    private func servesAnybody(_ configuration: ConsoleConfiguration, hasKeys: Bool) -> Bool {
        configuration.isLoopback && !hasKeys
    }

    /// Refuses a command line with which no models would be served.
    /// - Parameter hasKeys: the process has keys, or is to have some.
    func requireModels(hasKeys: Bool) throws {
        guard let configuration = try configuration() else {
            throw ValidationError("--http is missing: where to serve, for example 127.0.0.1:9464")
        }
        guard httpTokens != nil || servesAnybody(configuration, hasKeys: hasKeys) else {
            let reason =
                hasKeys
                ? "a process with keys does not give its models to everybody"
                : "\(configuration.host) can be reached from other machines"
            throw ValidationError("\(reason): say who may read what, --http-tokens (modelcast keygen --token)")
        }
    }

    /// Sets up the metrics of this process, which have to be there before the service to show is made.
    func begin() -> PrometheusMetrics? {
        guard http != nil else { return nil }
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        return metrics
    }

    /// The services that say how another one is, to be started before it: to systemd where that asks, and over HTTP
    /// with `--http`.
    /// - Parameters:
    ///   - writer: the publisher that writes what requests say; nil where models are only read.
    ///   - hasKeys: the process asks for keys at its own endpoints.
    func services(
        of subject: ConsoleSubject, writer: Publisher? = nil, _ metrics: PrometheusMetrics?, hasKeys: Bool,
        logger: Logger
    ) throws -> [any Service] {
        var services: [any Service] = [Watchdog(subject.pulse)].compactMap(\.self)
        guard let configuration = try configuration() else { return services }
        var gateway: ModelGateway?
        if let httpTokens {
            let access = Access(try GrantsFile.read(httpTokens), audit: LogLevel.makeAuditLog())
            GrantsReload.tell(access.grants, httpTokens, logger)
            services.append(GrantsReload(path: httpTokens, access: access, logger: logger))
            gateway = ModelGateway(of: subject, writer: writer, tokens: access)
        } else if servesAnybody(configuration, hasKeys: hasKeys) {
            gateway = ModelGateway(of: subject, writer: writer)
        }
        if let history { gateway?.historyByteCount = history.count }
        let subjects = [subject] + (writer.map { [.publisher($0)] } ?? [])
        let console = Console(configuration, of: subjects, metrics: metrics, gateway: gateway, logger: logger)
        return services + [console, ConsoleAnnouncer(console: console)]
    }

    /// The console among services.
    static func console(in services: [any Service]) -> Console? { services.lazy.compactMap { $0 as? Console }.first }
}

/// Tells where the console can be reached, which is not known before where the system has chosen the port.
private struct ConsoleAnnouncer: Service {
    let console: Console

    func run() async throws {
        // Where the console cannot be bound its own error says so.
        guard let port = try? await console.boundPort else { return }
        let host = console.configuration.host
        StandardError.write(line: "console http://\(host.contains(":") ? "[\(host)]" : host):\(port)")
        try? await gracefulShutdown()
    }
}
