import ModelSync
import ZeroMQ

/// A sender on a bus.
final class InMemoryServing: ServingEnd {
    let bound: SenderEndpoints
    let stream: StreamOutlet?
    let freight: UnreleasedAnswers
    private let thread: InMemoryThread

    /// How many messages of each kind are taken at a time, and how many bytes of requests, as long requests take long
    /// to read.
    private static let burst = 256
    private static let burstByteCount = 256 << 10

    init(_ settings: ServingSettings, _ thread: InMemoryThread) throws(ModelcastError) {
        for case let endpoint? in [settings.control, settings.stream] { try InMemoryBus.requireEndpoint(endpoint) }
        let bound = try thread.bus.exchange.withLock { exchange throws(ModelcastError) in
            try exchange.bind(settings, thread.waker)
        }
        self.thread = thread
        self.bound = bound
        stream = settings.stream == nil ? nil : StreamOutlet(InMemoryStream(thread.bus, at: bound.stream))
        freight = UnreleasedAnswers(byteCountMax: settings.answersByteCount, waker: thread.waker)
    }

    deinit {
        thread.bus.exchange.withLock { exchange in
            exchange.unbindControl(bound.control)
            exchange.unbindStream(bound.stream)
        }
    }

    func reply(to peer: [UInt8], _ load: HeldMessage) -> Bool {
        thread.bus.exchange.withLock { $0.reply(load, to: InMemoryServing.id(of: peer)) }
    }

    func cut(_ peers: [[UInt8]]) {
        for peer in peers {
            // The replies are released after the lock.
            _ = thread.bus.exchange.withLock { $0.cut(InMemoryServing.id(of: peer)) }
        }
    }

    /// Messages arrive whole on a bus, so there is nothing to look for.
    var nextLook: UInt64 { .max }

    /// Nobody is refused on a bus.
    func takeRefused() -> [RefusedClients] { [] }

    func receive(subscribed: ([UInt8]) -> Void, requested: (IncomingRequest) -> Void) {
        // Both are called outside of the lock: a writer takes that while it holds the publisher's.
        let (subscriptions, hasMoreSubscriptions) = thread.bus.exchange.withLock { exchange in
            exchange.takeSubscriptions(at: bound.stream, atMost: InMemoryServing.burst)
        }
        for prefix in subscriptions { subscribed(prefix) }
        let (requests, hasMoreRequests) = thread.bus.exchange.withLock { exchange in
            exchange.takeRequests(
                at: bound.control, atMost: InMemoryServing.burst, byteCountMax: InMemoryServing.burstByteCount)
        }
        for (peer, request) in requests {
            requested(IncomingRequest(peer: InMemoryServing.identity(of: peer), payload: request))
        }
        if hasMoreSubscriptions || hasMoreRequests { thread.leaveSome() }
    }

    /// The eight bytes of a peer's number.
    private static func identity(of id: InMemoryExchange.ID) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: id >> (8 * UInt64($0))) }
    }

    private static func id(of identity: [UInt8]) -> InMemoryExchange.ID {
        identity.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The stream of a sender on a bus.
final class InMemoryStream: StreamChannel {
    private let bus: InMemoryBus
    private let endpoint: String

    init(_ bus: InMemoryBus, at endpoint: String) { (self.bus, self.endpoint) = (bus, endpoint) }

    func publish(topic: [UInt8], _ payload: [UInt8]) {
        bus.exchange.withLock { exchange in
            exchange.publish(InMemoryExchange.StreamMessage(topic: topic, payload: payload), at: endpoint)
        }
    }

    func publishFromWriter(topic: [UInt8], _ payload: [UInt8]) -> Bool {
        publish(topic: topic, payload)
        // A subscription wakes the serving thread by itself, so no write has to.
        return false
    }
}
