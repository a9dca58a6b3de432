import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import Modelcast
import NIOCore
public import ServiceLifecycle
import Synchronization

/// Shows services of this process over HTTP: whether they work, whether their copies are fresh, and their metrics.
///
/// ```swift
/// let console = Console(try ConsoleConfiguration("127.0.0.1:9464"), of: [.subscriber(subscriber)], logger: logger)
/// let group = ServiceGroup(services: [subscriber, console], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
/// | request | answer |
/// |---|---|
/// | `GET /livez` | 200 while the threads of the services turn, else 503 |
/// | `GET /readyz`, `/healthz` | 200 once the copies are live, 503 before that and while anything is stale for long |
/// | `GET /metrics` | the metrics, as Prometheus or OpenMetrics text |
/// | `GET /` | with a ``ModelGateway``: the inspector, a page that shows all of this |
/// | `GET /v1/types` | with a ``ModelGateway``: the types that have models, and how many |
/// | `GET /v1/models/TYPE` | a page of the models of a type |
/// | `GET /v1/models/TYPE/ID` | a model |
/// | `GET /v1/changes` | the state and every change from then on, as server-sent events |
///
/// How long is said by ``ConsoleConfiguration/staleAfter``. With `?verbose` the first three list each check. A request
/// for these or for metrics is answered from what the services tell anyway, so it costs them nothing but the counting
/// of models and, at a publisher, its lock. The article "From other languages" has the requests for models.
public final class Console: Service, Sendable {
    /// How the console works.
    public let configuration: ConsoleConfiguration
    let subjects: [ConsoleSubject]
    let metrics: PrometheusMetrics?
    let gateway: GatewayState?
    /// The distributions of each of the subjects.
    let distributions: [CopyDistributions]
    let logger: Logger
    let connections: ConnectionTable
    private let watches: Mutex<[HealthWatch]>
    private let bound = Settlement<Int>()

    /// A console that nobody can reach yet; see ``run()``.
    /// - Parameters:
    ///   - subjects: the services to show, each of a name of its own.
    ///   - metrics: the backend of swift-metrics of this process, whose numbers `/metrics` shows beside those of the
    ///     services; nil where there is none.
    ///   - gateway: the models to serve; nil where none are.
    public init(
        _ configuration: ConsoleConfiguration, of subjects: [ConsoleSubject], metrics: PrometheusMetrics? = nil,
        gateway: ModelGateway? = nil, logger: Logger
    ) {
        self.configuration = configuration
        self.subjects = subjects
        self.metrics = metrics
        self.gateway = gateway.map { GatewayState($0) }
        self.logger = logger
        distributions = subjects.map { _ in CopyDistributions() }
        connections = ConnectionTable(
            countMax: configuration.connectionCountMax, byteCountMax: configuration.answerByteCountMax)
        watches = Mutex([HealthWatch](repeating: HealthWatch(), count: subjects.count))
    }

    /// The port at which the console can be reached. Waits until it is bound.
    /// - Throws: ``ModelcastError`` where it cannot be bound; `CancellationError` when the task is cancelled.
    public var boundPort: Int { get async throws { try await bound.value } }

    /// Answers requests until the service group shuts down or the task is cancelled.
    /// - Throws: ``ModelcastError`` with code `endpoint` where the address cannot be bound, `configuration` where
    ///   models without tokens would be served to other machines.
    public func run() async throws {
        try requireSoundGateway()
        let watchers = watchCommits()
        defer { withExtendedLifetime(watchers) {} }
        let application = Application(
            router: router(),
            server: HTTPServerBuilder { [limits] responder in
                ClosingHTTPChannel(base: HTTP1Channel(responder: responder, configuration: limits))
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? self.configuration.port
                self.logger.info("console is listening", metadata: ["address": "\(self.configuration.host):\(port)"])
                self.bound.settle(.success(port))
            }, logger: Console.quiet(logger))
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Ends when the group shuts down, after the answers under way.
                group.addTask { try await application.run() }
                group.addTask {
                    await self.look()
                    self.gateway?.end()
                    // A client that does not take its answer is not waited for.
                    if !self.connections.closeWaiting() { try? await Task.sleep(for: .seconds(1)) }
                    self.connections.closeAll()
                }
                try await group.next()
                group.cancelAll()
                try? await group.waitForAll()
            }
        } catch is CancellationError {
            bound.settle(.failure(CancellationError()))
            throw CancellationError()
        } catch {
            let failure = ModelcastError(
                .endpoint, "the console cannot listen at \(configuration.host):\(configuration.port): \(error)")
            bound.settle(.failure(failure))
            throw failure
        }
        bound.settle(.failure(ModelcastError(.stopped, "this console has stopped")))
    }

    /// Refuses to serve models to whoever comes, from wherever, and streams that leave no room for anything else.
    private func requireSoundGateway() throws(ModelcastError) {
        guard let gateway = gateway?.configuration else { return }
        var fault: String?
        if gateway.tokens == nil, !configuration.isLoopback {
            fault =
                "\(configuration.host) can be reached from other machines and nothing protects the models: bind the "
                + "console to 127.0.0.1, or give its gateway tokens"
        } else if gateway.streamCountMax > configuration.connectionCountMax - 100 {
            fault =
                "\(gateway.streamCountMax) streams leave no room for other requests among "
                + "\(configuration.connectionCountMax) connections: raise connectionCountMax to "
                + "\(gateway.streamCountMax + 100), or allow fewer streams with streamCountMax"
        }
        guard let fault else { return }
        let failure = ModelcastError(.configuration, fault)
        bound.settle(.failure(failure))
        throw failure
    }

    /// Begins to look at the commits of each copy.
    /// - Returns: the watchers of the copies of which no changes are kept.
    private func watchCommits() -> [ChangeHistory] {
        var watchers: [ChangeHistory] = []
        for (subject, distributions) in zip(subjects, distributions) {
            if let gateway, gateway.cache === subject.cache, gateway.configuration.historyByteCount > 0 {
                gateway.begin(distributions)
            } else {
                watchers.append(ChangeHistory(of: subject.cache, byteCountMax: 0, distributions))
            }
        }
        return watchers
    }

    /// Looks at the services once a second, so that it is known since when what is not live has not been.
    private func look() async {
        // Ends with a `CancellationError` when the group shuts down, which is no failure.
        try? await cancelWhenGracefulShutdown {
            while true {
                let looks = self.refresh()
                self.gateway?.tick(isReady: self.readinessChecks(looks).allSatisfy { $0.problem == nil })
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// The logger for hummingbird, which tells of each request what only whoever writes a server wants to know.
    private static func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        logger.logLevel = .critical
        return logger
    }

    /// A connection that says nothing for long is closed, also in the middle of its headers; so is one whose headers
    /// take more than any client of ours sends.
    private var limits: HTTP1Channel.Configuration {
        let (connections, patience) = (connections, configuration.readerPatience)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionHandler(connections, patience: patience)],
            idleTimeout: TimeAmount(configuration.silencePatience),
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
    }

    /// The services as they are now, each with what was seen of it before.
    @discardableResult
    func refresh() -> [ConsoleLook] {
        // The times are read under the lock, so that they do not go back from look to look.
        watches.withLock { watches in
            subjects.enumerated().map { index, subject in
                let (state, now) = (subject.state, subject.pulse.uptime)
                let distributions = distributions[index]
                if let told = state.listening {
                    let repairs = watches[index].look(told.senders, told.streams, now: now)
                    for repair in repairs { distributions.note(repair: repair) }
                    distributions.note(isLive: !told.senders.isEmpty && told.senders.allSatisfy { $0.state == .live })
                } else {
                    distributions.note(isLive: true)
                }
                return ConsoleLook(
                    subject: subject, state: state, watch: watches[index], lag: distributions.lastLag, now: now)
            }
        }
    }
}
