import ModelCache

/// A network within this process. Publishers, relays and subscribers that are given the same bus find each other at
/// `memory://name`; no socket is opened, and nothing leaves the process.
///
/// ```swift
/// let bus = InMemoryBus()
/// var configuration = SubscriberConfiguration(name: "billing", publishers: ["memory://accounts"])
/// configuration.transport = .inMemory(bus)
/// ```
/// - A name is `memory://` and 1 to 100 characters without spaces. To bind `memory://*` chooses a free one.
/// - A connection may be made before its name is bound. It is there once the name is, also after a restart.
/// - The same queues are bounded as with sockets: a subscriber that does not keep up loses batches, and repairs itself.
/// - The bus has no thread. A message is in the queue of its receiver when the call that sends it returns.
///
/// For tests, and for services that share a process. It has no keys, as nobody else can reach it.
public final class InMemoryBus: Sendable {
    // One lock for all queues: a bus is for few services, and a message is under it for the time of an append. Under
    // it no other lock is taken.
    let exchange = Guarded(InMemoryExchange())
    /// Set by a test that moves the time of the services; nil for the machine's clocks.
    let shift: ClockShift?
    /// The waiters for the next service that has nothing to do; nil where nobody may wait.
    let idleWaiters: Waiters<Void>?

    /// A bus at which nothing is bound.
    public init() { (shift, idleWaiters) = (nil, nil) }

    /// A bus for tests: they move its time, and learn when its services have nothing to do.
    package init(forTests: Void) { (shift, idleWaiters) = (ClockShift(), Waiters()) }

    private static let scheme = "memory://"
    private static let nameCountMax = 100
    /// The endpoint to bind for any free name.
    static let wildcard = scheme + "*"

    /// The text is meant to be an endpoint on a bus.
    static func isEndpoint(_ text: String) -> Bool { text.hasPrefix(scheme) }

    /// Refuses a text that cannot be bound on a bus.
    static func requireEndpoint(_ text: String) throws(ModelcastError) {
        let name = text.dropFirst(scheme.count)
        guard isEndpoint(text), (1...nameCountMax).contains(name.count), !name.contains(where: \.isWhitespace) else {
            throw ModelcastError(
                .endpoint,
                "\(text) is not on a bus within a process: write memory:// and a name of at most \(nameCountMax) "
                    + "characters, or use the transport .zeroMQ")
        }
    }
}
