import Synchronization
import ZeroMQ

/// Tests of services on a bus: they learn when nothing is under way, and make faults.
extension InMemoryExchange {
    /// The thread of a service.
    struct Thread {
        let waker: Waker
        /// The thread waits, and has taken nothing that it has not dealt with.
        var isIdle = false
    }

    /// A connection from a service to the control endpoint of a sender, with the stream of that sender.
    struct Link: Hashable {
        let service: String
        let control: String
    }

    /// The faults that hold now.
    struct Faults {
        /// Nothing passes, either way.
        var cut: Set<Link> = []
        /// The links on which the messages of the sender's stream wait.
        var held: Set<Link> = []
        /// The number of next batches that are lost, by link.
        var losses: [Link: Int] = [:]
    }

    mutating func addThread(_ waker: Waker) -> ID {
        let id = takeID()
        threads[id] = Thread(waker: waker)
        return id
    }

    mutating func removeThread(_ id: ID) { threads[id] = nil }

    mutating func note(_ id: ID, isIdle: Bool) { threads[id]?.isIdle = isIdle }

    /// Every service waits, and nothing that may arrive is on its way.
    var isAtRest: Bool {
        threads.values.allSatisfy(\.isIdle) && controls.values.allSatisfy(\.arrivals.isEmpty)
            && requesters.values.allSatisfy(\.replies.isEmpty)
            && streams.values.allSatisfy(\.subscriptions.isEmpty)
            && listeners.values.allSatisfy { $0.messages.isEmpty || faults.held.contains($0.link) }
    }

    /// Ends the connections of a link, and lets none be made.
    mutating func cut(_ link: Link) {
        faults.cut.insert(link)
        for id in requesters.keys.sorted() where requesters[id]?.link == link { detach(id) }
    }

    /// Lets a link be made again.
    mutating func mend(_ link: Link) {
        faults.cut.remove(link)
        for id in requesters.keys.sorted() where requesters[id]?.link == link { attach(id) }
        for id in listeners.keys.sorted() where listeners[id]?.link == link { tellSubscriptions(of: id) }
    }

    /// Lets what was held arrive.
    mutating func release(_ link: Link) {
        faults.held.remove(link)
        for listener in listeners.values where listener.link == link { listener.waker.wake() }
    }

    /// Whether a message of a stream is lost on this link.
    mutating func loses(_ message: StreamMessage, on link: Link) -> Bool {
        if faults.cut.contains(link) { return true }
        // Heads and byes come again; a batch is what can be lost.
        guard let left = faults.losses[link], message.topic.first == UInt8(ascii: "m") else { return false }
        faults.losses[link] = left > 1 ? left - 1 : nil
        return true
    }
}

/// The means of the test kit on a bus that was made for it: services that faults name, and an end of all waiting.
extension InMemoryBus {
    /// The transport of a service, which faults name.
    package func transport(of service: String) -> Transport {
        Transport(implementation: InMemoryTransport(bus: self, service: service))
    }

    /// Every service waits, and nothing that may arrive is on its way.
    package var isAtRest: Bool { exchange.withLock { $0.isAtRest } }

    /// Waits until a service has nothing to do. Returns at once where none has.
    package func waitUntilIdle() async throws {
        try await idleWaiters?.wait { enter in
            exchange.withLock { exchange -> Result<Void, any Error>? in
                if exchange.isAtRest { return .success(()) }
                enter()
                return nil
            }
        }
    }

    /// Sets the clocks of all services forward. They see to what is due.
    package func setForward(by duration: Duration) {
        shift?.microseconds.add(duration.wholeMicroseconds, ordering: .acquiringAndReleasing)
        let wakers = exchange.withLock { exchange in
            for id in exchange.threads.keys { exchange.note(id, isIdle: false) }
            return exchange.threads.values.map(\.waker)
        }
        for waker in wakers { waker.wake() }
    }

    /// Makes or ends a fault between a service and the sender at a control endpoint.
    package func set(_ fault: BusFault, from control: String, to service: String) {
        let link = InMemoryExchange.Link(service: service, control: control)
        exchange.withLock { exchange in
            switch fault {
            case .cut: exchange.cut(link)
            case .mended: exchange.mend(link)
            case .held: exchange.faults.held.insert(link)
            case .released: exchange.release(link)
            case .loss(let count): exchange.faults.losses[link, default: 0] += count
            }
        }
    }

    /// Nothing passes between a service and a sender, or what the sender sends is held.
    package func isInterrupted(from control: String, to service: String) -> Bool {
        let link = InMemoryExchange.Link(service: service, control: control)
        return exchange.withLock { $0.faults.cut.contains(link) || $0.faults.held.contains(link) }
    }

    /// Ends the wait of whoever waits for a service that has nothing to do.
    func tellIdle() {
        guard let idleWaiters else { return }
        for waiter in idleWaiters.takeAll() { waiter.resume() }
    }
}
