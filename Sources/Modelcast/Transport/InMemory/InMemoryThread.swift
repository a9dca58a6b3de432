import ZeroMQ

/// The connections of one thread to a bus. They have no descriptors: whoever sends to one wakes the thread.
final class InMemoryThread: TransportThread {
    let bus: InMemoryBus
    /// The name of the service; empty where there is none.
    let service: String
    private let id: InMemoryExchange.ID
    /// A poller without sockets: it waits for its waker only.
    private var poller: Poller
    /// A connection has kept something back, so the next wait may not sleep.
    private var hasMore = false

    init(_ bus: InMemoryBus, _ service: String) throws(ModelcastError) {
        (self.bus, self.service) = (bus, service)
        let poller = try ModelcastError.ofZeroMQ(.endpoint) { () throws(ZeroMQError) in try Poller() }
        let waker = poller.waker
        self.poller = poller
        id = bus.exchange.withLock { $0.addThread(waker) }
    }

    deinit {
        bus.exchange.withLock { $0.removeThread(id) }
        bus.tellIdle()
    }

    var clock: ServiceClock { ServiceClock(shift: bus.shift) }
    var isWatched: Bool { bus.idleWaiters != nil }

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
        let link = InMemoryExchange.Link(service: service, control: control)
        return InMemoryStreamConnection(to: endpoint, on: link, settings, self)
    }

    func serve(_ settings: ServingSettings) throws(ModelcastError) -> any ServingEnd {
        try InMemoryServing(settings, self)
    }

    func wait(timeout: Duration) throws(ModelcastError) {
        let time = hasMore ? .zero : timeout
        hasMore = false
        let isIdle = isWatched && time > .zero
        if isIdle {
            bus.exchange.withLock { $0.note(id, isIdle: true) }
            bus.tellIdle()
        }
        defer { if isIdle { bus.exchange.withLock { $0.note(id, isIdle: false) } } }
        try ModelcastError.ofZeroMQ { () throws(ZeroMQError) in _ = try poller.wait(timeout: time) }
    }
}
