/// A transport as the services see it: what makes its threads, and what checks its endpoints.
protocol TransportImplementation: Sendable {
    /// The transport can encrypt, and prove who the other side is.
    var hasKeys: Bool { get }

    /// The clocks of the services that use the transport.
    var clock: ServiceClock { get }

    /// Refuses a text that is not an endpoint to connect to.
    func requireConnectable(_ endpoint: String) throws(ModelcastError)
    /// Refuses a text that is not an endpoint to bind.
    func requireServable(_ endpoint: String) throws(ModelcastError)

    /// Makes what the calling thread needs to connect, to serve and to wait.
    func openThread() throws(ModelcastError) -> any TransportThread

    /// Looks for the reason why nobody greets at a control endpoint.
    /// - Parameter hasKeys: the connections use keys, so only the handshake can tell whether a sender is there.
    /// - Returns: nil where nothing is wrong.
    func fault(at endpoint: String, hasKeys: Bool) async -> EndpointFault?
}

extension TransportImplementation {
    var clock: ServiceClock { ServiceClock(shift: nil) }
}
