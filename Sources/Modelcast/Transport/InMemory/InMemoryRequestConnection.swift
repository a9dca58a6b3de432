/// A connection for requests on a bus.
final class InMemoryRequestConnection: RequestConnection {
    private let thread: InMemoryThread
    private let id: InMemoryExchange.ID
    private let watchesLoss: Bool
    /// Nothing more is to be told of the other side.
    private var isDone = false

    init(to endpoint: String, _ settings: ConnectionSettings, _ thread: InMemoryThread) {
        self.thread = thread
        watchesLoss = settings.greetings != .untilGreeted
        id = thread.bus.exchange.withLock { exchange in
            exchange.connect(
                to: endpoint, by: thread.service, thread.waker, queueByteCount: settings.queueByteCount)
        }
    }

    deinit {
        // The replies are released after the lock.
        _ = thread.bus.exchange.withLock { $0.disconnect(id) }
    }

    var isReadable: Bool { true }

    func send(_ request: [UInt8]) { thread.bus.exchange.withLock { $0.send(request, by: id) } }

    func receive(_ body: (Span<UInt8>) -> Void) -> Receipt {
        let (reply, hasMore) = thread.bus.exchange.withLock { $0.takeReply(of: id) }
        if hasMore { thread.leaveSome() }
        guard let reply else { return .nothing }
        let bytes = reply.bytes
        body(bytes.span)
        return .reply
    }

    func look() -> Greeting {
        guard !isDone else { return .pending }
        let greeting = thread.bus.exchange.withLock { $0.look(id) }
        isDone = greeting == .lost || (greeting == .succeeded && !watchesLoss)
        return greeting
    }
}
