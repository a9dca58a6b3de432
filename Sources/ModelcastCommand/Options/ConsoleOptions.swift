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
            "Answer /livez, /readyz and /metrics there: 127.0.0.1:9464. Whoever reaches it can read it. Default: "
                + "nowhere.",
            valueName: "host:port"))
    var http: String?

    @Option(
        help: ArgumentHelp(
            "A name by which --http may be asked, beside localhost and addresses. Repeat it for several.",
            valueName: "name"))
    var httpName: [String] = []

    @Option(
        help: ArgumentHelp(
            "For how long a sender or a stream may not be live before /readyz says 503. Default: 15.",
            valueName: "seconds"))
    var staleAfter: Seconds?

    func validate() throws {
        guard http != nil || (httpName.isEmpty && staleAfter == nil) else {
            throw ValidationError("--http-name and --stale-after say how --http answers: give --http HOST:PORT")
        }
        _ = try configuration()
    }

    private func configuration() throws -> ConsoleConfiguration? {
        guard let http else { return nil }
        do {
            var configuration = try ConsoleConfiguration(http)
            configuration.hostNames = httpName
            if let staleAfter { configuration.staleAfter = staleAfter.duration }
            return configuration
        } catch {
            throw ValidationError("--http: \(error.message)")
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
    func services(
        of subject: ConsoleSubject, _ metrics: PrometheusMetrics?, logger: Logger
    ) throws -> [any Service] {
        let watchdogs = [Watchdog(subject.pulse)].compactMap(\.self)
        guard let configuration = try configuration() else { return watchdogs }
        let console = Console(configuration, of: [subject], metrics: metrics, logger: logger)
        return watchdogs + [console, ConsoleAnnouncer(console: console)]
    }
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
