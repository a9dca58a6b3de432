import ZeroMQ

/// The connections of one thread to a bus. They have no descriptors: whoever sends to one wakes the thread.
final class InMemoryThread: TransportThread {
    let bus: InMemoryBus
    /// A poller without sockets: it waits for its waker only.
    private var poller: Poller
    /// A connection has kept something back, so the next wait may not sleep.
    private var hasMore = false

    init(_ bus: InMemoryBus) throws(ModelcastError) {
        self.bus = bus
        poller = try ModelcastError.ofZeroMQ(.endpoint) { () throws(ZeroMQError) in try Poller() }
    }

    var waker: Waker { poller.waker }

    /// Notes that messages were left in a connection.
    func leaveSome() { hasMore = true }

    func connect(to endpoint: String, _ settings: ConnectionSettings) throws(ModelcastError) -> any RequestConnection {
        try InMemoryBus.requireEndpoint(endpoint)
        return InMemoryRequestConnection(to: endpoint, settings, self)
    }

    func listen(
        to endpoint: String, of control: String, _ settings: ConnectionSettings
    ) throws(ModelcastError) -> any StreamConnection {
        try InMemoryBus.requireEndpoint(endpoint)
        return InMemoryStreamConnection(to: endpoint, settings, self)
    }

    func serve(_ settings: ServingSettings) throws(ModelcastError) -> any ServingEnd {
        try InMemoryServing(settings, self)
    }

    func wait(timeout: Duration) throws(ModelcastError) {
        let time = hasMore ? .zero : timeout
        hasMore = false
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in _ = try poller.wait(timeout: time) }
    }
}
