/// A connection to a stream on a bus.
final class InMemoryStreamConnection: StreamConnection {
    private let thread: InMemoryThread
    private let id: InMemoryExchange.ID
    /// Messages that were taken from the bus and not handed over yet, the next one last.
    private var taken: [InMemoryExchange.StreamMessage] = []
    /// More messages were on the bus when these were taken.
    private var hasMore = false

    init(to endpoint: String, on link: InMemoryExchange.Link, _ settings: ConnectionSettings, _ thread: InMemoryThread)
    {
        self.thread = thread
        id = thread.bus.exchange.withLock { exchange in
            exchange.listen(to: endpoint, on: link, thread.waker, queueByteCount: settings.queueByteCount)
        }
    }

    deinit { thread.bus.exchange.withLock { $0.unlisten(id) } }

    func subscribe(to prefix: [UInt8]) { thread.bus.exchange.withLock { $0.subscribe(id, to: prefix) } }

    func unsubscribe(from prefix: [UInt8]) { thread.bus.exchange.withLock { $0.unsubscribe(id, from: prefix) } }

    func receive(
        atMost countMax: Int, _ body: (_ topic: Span<UInt8>, _ payload: Span<UInt8>) -> Bool,
        malformed: (String) -> Bool
    ) {
        if taken.isEmpty {
            let (messages, hasMore) = thread.bus.exchange.withLock { $0.takeMessages(of: id, atMost: countMax) }
            taken = messages.reversed()
            self.hasMore = hasMore
        }
        while let message = taken.popLast() {
            guard body(message.topic.span, message.payload.span) else { break }
        }
        if hasMore || !taken.isEmpty { thread.leaveSome() }
    }
}
