/// How messages travel between publishers, relays and subscribers. A configuration names one; each process or service
/// uses the same for all its connections.
///
/// ```swift
/// let bus = InMemoryBus()
/// var configuration = PublisherConfiguration(
///     name: "accounts", endpoints: try SenderEndpoints(control: "memory://accounts"))
/// configuration.transport = .inMemory(bus)
/// ```
/// The endpoints of a configuration have to be those of its transport.
public struct Transport: Sendable {
    /// The parts that services use.
    let implementation: any TransportImplementation

    /// ZeroMQ, over TCP and Unix sockets: `tcp://host:port`, `ipc:///path`. The default.
    public static let zeroMQ = Transport(implementation: ZeroMQTransport())

    /// A bus within this process: `memory://name`. It has no sockets, and needs no keys.
    public static func inMemory(_ bus: InMemoryBus) -> Transport {
        Transport(implementation: InMemoryTransport(bus: bus))
    }

    /// The clocks of the services that use it.
    var clock: ServiceClock { implementation.clock }

    /// Refuses endpoints that are not for connecting with this transport, and keys where it has none.
    func requireConnectable(_ endpoints: [String], _ security: Security?) throws(ModelcastError) {
        for endpoint in endpoints { try implementation.requireConnectable(endpoint) }
        guard security == nil || implementation.hasKeys else {
            throw ModelcastError(.configuration, "keys are for connections that leave the process: leave out security")
        }
    }

    /// Refuses endpoints that cannot be bound with this transport.
    func requireServable(_ endpoints: [String?]) throws(ModelcastError) {
        for case let endpoint? in endpoints { try implementation.requireServable(endpoint) }
    }
}
