import Dispatch
import Synchronization

/// A process of raw libzmq: one thread owns the socket and carries out orders.
enum RawPeer {
    /// Runs `serve` on a thread of its own. `serve` returns when there are no more orders.
    static func run(
        _ serve: @escaping @Sendable (OrderQueue, (BenchReply) -> Void) throws -> Void
    ) async throws {
        let link = ParentLink<BenchOrder, BenchReply>()
        let orders = OrderQueue()
        try await Worker.untilFirstEnds([
            { try await Blocking.run(named: "raw") { try serve(orders) { link.tell($0) } } },
            {
                for await order in link.orders { orders.add(order) }
                orders.close()
            },
        ])
    }
}

/// A queue of orders for a thread that waits for them.
final class OrderQueue: Sendable {
    private let orders = Mutex<[BenchOrder?]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func add(_ order: BenchOrder) {
        orders.withLock { $0.append(order) }
        arrived.signal()
    }

    /// Closes the queue: no more orders will come.
    func close() {
        orders.withLock { $0.append(nil) }
        arrived.signal()
    }

    /// Waits for the next order; nil when the queue is closed and empty.
    func next() -> BenchOrder? {
        arrived.wait()
        return orders.withLock { $0.removeFirst() }
    }
}
