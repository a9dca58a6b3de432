import Logging
import ModelSync
import ModelWire
public import Modelcast
import Synchronization

/// Whole publishers, relays and subscribers in one process, on a network of memory: for the tests of code that uses
/// them.
///
/// ```swift
/// try await withNetwork { network in
///     let accounts = try await network.publisher("accounts")
///     let billing = try network.subscriber("billing", of: ["accounts"])
///     try network.lose(1, from: "accounts", to: "billing")
///     _ = try accounts.merge("User", "1", ["name": "Anna"])
///     try await network.settle()
///     #expect(billing["User", "1"]?["name"] == "Anna")
/// }
/// ```
/// - The services are those of production, with all their threads; only the transport is another. Nothing leaves the
///   process, and no port or file is used but the stores that you configure.
/// - **A test does not sleep.** ``settle()`` returns when nothing is under way any more, and ``advance(by:)`` moves the
///   time of the services.
/// - A name is that of one service; others are told of it by that name. Stop one with ``stop(_:)`` and make another of
///   the same name for a restart. With a store in its configuration it goes on where it was.
/// - Any task may call it. Faults hold until they are ended.
public final class TestNetwork: Sendable {
    private let bus = InMemoryBus(forTests: ())
    private let services = Mutex<[String: RunningService]>([:])
    /// The names of all services that have run.
    private let names = Mutex<Set<String>>([])
    /// Where services log; by default nowhere.
    private let logger: Logger

    /// How far ``settle()`` sets the clocks forward before it gives up, and how long it waits by the machine's clock.
    private static let patience = Duration.seconds(60)
    /// How far the clocks are set forward at a time while something is awaited.
    private static let step = Duration.milliseconds(5)
    /// How far ``advance(by:)`` sets the clocks forward at a time: less than any service takes for a silence.
    private static let advanceStep = Duration.milliseconds(50)
    /// The most that ``advance(by:)`` takes.
    private static let advanceMax = Duration.seconds(600)

    init(logger: Logger) { self.logger = logger }

    // MARK: Services

    /// Runs a publisher.
    /// - Parameters:
    ///   - name: its name, at which others find it.
    ///   - configure: changes its configuration, all but its name, transport and endpoints.
    /// - Throws: ``ModelcastError`` of the publisher; ``TestNetworkError`` for a name that is taken.
    public func publisher(
        _ name: String = "publisher", _ configure: (inout PublisherConfiguration) -> Void = { _ in }
    ) async throws -> Publisher {
        let endpoints = try SenderEndpoints(control: TestNetwork.endpoint(of: name))
        var configuration = PublisherConfiguration(name: name, endpoints: endpoints)
        configure(&configuration)
        configuration.endpoints = endpoints
        let publisher = try run(configuration, as: name)
        _ = try await publisher.boundEndpoints
        return publisher
    }

    /// Runs a publisher that pushes to relays, and serves nobody: a job.
    /// - Parameter relays: the names of the relays.
    /// - Throws: as ``publisher(_:_:)``.
    public func job(
        _ name: String = "job", pushingTo relays: [String],
        _ configure: (inout PublisherConfiguration) -> Void = { _ in }
    ) throws -> Publisher {
        var configuration = PublisherConfiguration(name: name, pushingTo: relays.map(TestNetwork.endpoint(of:)))
        configure(&configuration)
        return try run(configuration, as: name)
    }

    /// Runs a relay.
    /// - Parameters:
    ///   - senders: the names of the publishers and relays that it listens to. They need not run yet.
    ///   - configure: changes its configuration, all but its name, transport and endpoints.
    /// - Throws: ``ModelcastError`` of the relay; ``TestNetworkError`` for a name that is taken.
    public func relay(
        _ name: String = "relay", of senders: [String], _ configure: (inout RelayConfiguration) -> Void = { _ in }
    ) async throws -> Relay {
        let endpoints = try SenderEndpoints(control: TestNetwork.endpoint(of: name))
        var configuration = RelayConfiguration(
            name: name, endpoints: endpoints, publishers: senders.map(TestNetwork.endpoint(of:)))
        configure(&configuration)
        (configuration.name, configuration.endpoints) = (name, endpoints)
        configuration.transport = bus.transport(of: name)
        let relay = try Relay(configuration, logger: logger)
        try run(.relay(relay), name) { try await relay.run() }
        _ = try await relay.boundEndpoints
        return relay
    }

    /// Runs a subscriber. Call ``settle()`` to wait until it has what its senders have.
    /// - Parameters:
    ///   - senders: the names of the publishers and relays that it listens to. They need not run yet.
    ///   - configure: changes its configuration, all but its name and the transport.
    /// - Throws: ``ModelcastError`` of the subscriber; ``TestNetworkError`` for a name that is taken.
    public func subscriber(
        _ name: String = "subscriber", of senders: [String] = ["publisher"],
        _ configure: (inout SubscriberConfiguration) -> Void = { _ in }
    ) throws -> Subscriber {
        var configuration = SubscriberConfiguration(
            name: name, publishers: senders.map(TestNetwork.endpoint(of:)))
        configure(&configuration)
        configuration.name = name
        configuration.transport = bus.transport(of: name)
        let subscriber = try Subscriber(configuration, logger: logger)
        try run(.subscriber(subscriber), name) { try await subscriber.run() }
        return subscriber
    }

    /// Stops a service as a deployment would, and waits for its end: a publisher sends what is open, and says bye.
    /// - Throws: the error with which the service ended; ``TestNetworkError`` where no service of this name runs;
    ///   `CancellationError` when the task is cancelled, while the service goes on ending.
    public func stop(_ name: String) async throws {
        guard let running = services.withLock({ $0.removeValue(forKey: name) }) else { throw noService(name) }
        running.task.cancel()
        let end = Settlement<Void>()
        Task { end.settle(await running.task.result) }
        try await end.value
    }

    private func run(_ changed: PublisherConfiguration, as name: String) throws -> Publisher {
        var configuration = changed
        (configuration.name, configuration.transport) = (name, bus.transport(of: name))
        let publisher = try Publisher(configuration, logger: logger)
        try run(.publisher(publisher), name) { try await publisher.run() }
        return publisher
    }

    private func run(
        _ kind: RunningService.Kind, _ name: String, _ body: @escaping @Sendable () async throws -> Void
    ) throws {
        try services.withLock { services in
            guard services[name] == nil else {
                throw TestNetworkError("a service called \(name) runs already; stop it first, or choose another name")
            }
            services[name] = RunningService(kind, body)
        }
        names.withLock { _ = $0.insert(name) }
    }

    /// Stops all services.
    func end() async throws {
        let running = services.withLock { services in
            defer { services = [:] }
            return services.values.map(\.task)
        }
        for task in running { task.cancel() }
        for task in running { try await task.value }
    }

    // MARK: Time

    /// Waits until nothing is under way: everything that publishers have written is where it is listened for, and was
    /// acknowledged where it is pushed; what was lost is mended; every service waits for something new. A link that is
    /// cut or held, and a sender that was stopped, are not waited for.
    ///
    /// The clocks of the services are set forward where these wait for time to pass, such as for the pause before a
    /// connection is tried again; so the call takes milliseconds where they would take seconds.
    /// - Throws: ``TestNetworkError``, with what is missing where, if that is not so after a minute of the services'
    ///   time; the error with which a service ended; `CancellationError`.
    public func settle() async throws {
        var passed = Duration.zero
        let start = ContinuousClock.now
        while true {
            try Task.checkCancellation()
            let isAtRest = bus.isAtRest
            let lack = try await lack()
            guard let lack else {
                // Looked at once more, since a service may have begun something while the others were looked at.
                if isAtRest, bus.isAtRest { return }
                try await bus.waitUntilIdle()
                continue
            }
            guard passed < TestNetwork.patience, ContinuousClock.now - start < TestNetwork.patience else {
                throw TestNetworkError(lack)
            }
            if isAtRest {
                bus.setForward(by: TestNetwork.step)
                passed += TestNetwork.step
            }
            try await bus.waitUntilIdle()
        }
    }

    /// Lets time pass for the services: heartbeats go out, retention ends, silence is noticed.
    /// - Parameter duration: at most ten minutes, as each heartbeat of that time is sent. Give the configurations
    ///   shorter times where a test needs longer ones.
    /// - Throws: ``TestNetworkError`` for a longer or negative time; `CancellationError`.
    public func advance(by duration: Duration) async throws {
        guard duration >= .zero, duration <= TestNetwork.advanceMax else {
            throw TestNetworkError("\(duration) cannot pass: at most ten minutes at a time, and not back")
        }
        var left = duration
        while left > .zero {
            try Task.checkCancellation()
            let step = min(left, TestNetwork.advanceStep)
            bus.setForward(by: step)
            left -= step
            while !bus.isAtRest { try await bus.waitUntilIdle() }
        }
    }

    // MARK: Faults

    /// Cuts a service off from a sender: connections end, and none is made until ``mend(from:to:)``.
    /// - Throws: ``TestNetworkError`` where no service has one of these names.
    public func cut(from sender: String, to service: String) throws { try set(.cut, sender, service) }

    /// Ends what ``cut(from:to:)`` began.
    public func mend(from sender: String, to service: String) throws { try set(.mended, sender, service) }

    /// Lets what a sender streams to a service wait: a slow network. Requests and their answers pass.
    /// - Throws: as ``cut(from:to:)``.
    public func hold(from sender: String, to service: String) throws { try set(.held, sender, service) }

    /// Lets all arrive that ``hold(from:to:)`` has kept, and what comes from now on.
    public func release(from sender: String, to service: String) throws { try set(.released, sender, service) }

    /// Loses the next batches that a sender streams to a service. They are missed, asked for again, and mended.
    /// - Throws: as ``cut(from:to:)``.
    public func lose(_ count: Int, from sender: String, to service: String) throws {
        guard count > 0 else { throw TestNetworkError("\(count) batches cannot be lost: one at least") }
        try set(.loss(count), sender, service)
    }

    private func set(_ fault: BusFault, _ sender: String, _ service: String) throws {
        let services = services.withLock { $0 }
        for name in [sender, service] where services[name] == nil { throw noService(name) }
        guard services[service]?.kind.connections.contains(sender) ?? false else {
            let isReversed = services[sender]?.kind.connections.contains(service) ?? false
            throw TestNetworkError(
                "\(service) is not connected to \(sender)"
                    + (isReversed ? ", but \(sender) to \(service): write from: \"\(service)\", to: \"\(sender)\"" : "")
            )
        }
        bus.set(fault, from: TestNetwork.endpoint(of: sender), to: service)
    }

    // MARK: What is missing

    /// The work that is under way, in words; nil where there is none.
    private func lack() async throws -> String? {
        let services = services.withLock { $0 }
        for (name, running) in services.sorted(by: { $0.key < $1.key }) {
            if let lack = running.kind.lack(name, isConnected: { sender in isConnected(sender, name, services) }) {
                if running.hasEnded { try await running.task.value }
                return lack
            }
            for sender in running.kind.connections where !names.withLock({ $0.contains(sender) }) {
                return "\(name) is to be connected to \(sender), and no service of this name has run here"
            }
            for sender in running.kind.senders {
                guard let other = services[sender], isConnected(sender, name, services) else { continue }
                if let lack = running.kind.lack(name, of: other.kind, sender) { return lack }
            }
        }
        return nil
    }

    private func isConnected(_ sender: String, _ service: String, _ services: [String: RunningService]) -> Bool {
        services[sender] != nil && !bus.isInterrupted(from: TestNetwork.endpoint(of: sender), to: service)
    }

    private func noService(_ name: String) -> TestNetworkError {
        let names = services.withLock { $0.keys.sorted() }
        let others = names.isEmpty ? "is none" : "are \(names.joined(separator: ", "))"
        return TestNetworkError("no service called \(name) runs here; there \(others)")
    }

    static func endpoint(of name: String) -> String { "memory://\(name)" }

    /// The name of the service at an endpoint.
    static func name(at endpoint: String) -> String { String(endpoint.dropFirst("memory://".count)) }
}
