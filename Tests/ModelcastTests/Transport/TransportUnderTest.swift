import Modelcast
import TestSupport

/// A network for the services of one test, by one of the transports.
struct TransportUnderTest: Sendable {
    enum Kind: CaseIterable, Sendable { case zeroMQ, inMemory }

    let transport: Transport
    /// Where the sockets are; nil where there are none.
    private let folder: TemporaryDirectory?

    init(_ kind: Kind) throws {
        switch kind {
        case .zeroMQ: (transport, folder) = (.zeroMQ, try TemporaryDirectory())
        case .inMemory: (transport, folder) = (.inMemory(InMemoryBus()), nil)
        }
    }

    /// The control endpoint of a sender.
    func control(_ name: String) -> String { folder.map { "ipc://\($0.path(name))" } ?? "memory://\(name)" }

    func publisher(
        _ name: String, _ configure: (inout PublisherConfiguration) -> Void = { _ in }
    ) throws -> Publisher {
        var configuration = PublisherConfiguration(name: name, endpoints: try SenderEndpoints(control: control(name)))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.transport = transport
        configure(&configuration)
        return try Publisher(configuration, logger: silent)
    }

    func job(_ name: String, pushingTo relay: String) throws -> Publisher {
        var configuration = PublisherConfiguration(name: name, pushingTo: [control(relay)])
        configuration.transport = transport
        return try Publisher(configuration, logger: silent)
    }

    func relay(
        _ name: String, listeningTo publishers: [String], _ configure: (inout RelayConfiguration) -> Void = { _ in }
    ) throws -> Relay {
        var configuration = RelayConfiguration(
            name: name, endpoints: try SenderEndpoints(control: control(name)), publishers: publishers.map(control))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.transport = transport
        configure(&configuration)
        return try Relay(configuration, logger: silent)
    }

    func subscriber(
        of senders: [String], _ configure: (inout SubscriberConfiguration) -> Void = { _ in }
    ) throws -> Subscriber {
        var configuration = SubscriberConfiguration(name: "subscriber", publishers: senders.map(control))
        configuration.transport = transport
        configure(&configuration)
        return try Subscriber(configuration, logger: silent)
    }

    func client(_ name: String) throws -> ControlClient {
        try ControlClient(endpoint: control(name), timeout: .seconds(60), transport: transport)
    }
}
