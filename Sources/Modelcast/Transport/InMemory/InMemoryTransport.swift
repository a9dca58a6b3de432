/// A bus within a process as a transport.
struct InMemoryTransport: TransportImplementation {
    let bus: InMemoryBus
    /// The name of the service, for faults that a test makes; empty where there is none.
    var service = ""

    var clock: ServiceClock { ServiceClock(shift: bus.shift) }
    var hasKeys: Bool { false }

    func requireConnectable(_ endpoint: String) throws(ModelcastError) {
        try InMemoryBus.requireEndpoint(endpoint)
        guard endpoint != InMemoryBus.wildcard else {
            throw ModelcastError(.endpoint, "\(endpoint) is for binding; connect to a name")
        }
    }

    func requireServable(_ endpoint: String) throws(ModelcastError) { try InMemoryBus.requireEndpoint(endpoint) }

    func openThread() throws(ModelcastError) -> any TransportThread { try InMemoryThread(bus, service) }

    func fault(at endpoint: String, hasKeys: Bool) async -> EndpointFault? {
        bus.exchange.withLock { exchange in
            if exchange.isControl(endpoint) { return nil }
            if exchange.isStream(endpoint) {
                return EndpointFault(reason: "\(endpoint) is a stream; give the control endpoint of the publisher")
            }
            return EndpointFault(
                reason: "cannot reach \(endpoint): nobody has bound it on this bus; start the publisher or relay, or "
                    + "check the name",
                isAbsence: true)
        }
    }
}
