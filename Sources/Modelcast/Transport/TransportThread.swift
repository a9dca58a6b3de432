import ZeroMQ

/// The transport of one thread: it makes the connections of a publisher, relay, subscriber or client, and waits for all
/// of them. It and all that it makes belong to that thread, except for ``waker`` and a ``StreamOutlet``.
///
/// A connection and a serving end are closed when they are released. What they have queued is then sent still, for a
/// while.
protocol TransportThread: AnyObject {
    /// The clocks of the service.
    var clock: ServiceClock { get }
    /// A test waits until the services come to rest, and wants to know of each step.
    var isWatched: Bool { get }
    /// Ends a wait, from any thread. A wake that comes between two waits ends the next one.
    var waker: Waker { get }

    /// Opens a connection for requests. It need not have been answered when this returns: requests are queued until the
    /// other side is there, and after a loss the transport connects again by itself.
    func connect(to endpoint: String, _ settings: ConnectionSettings) throws(ModelcastError) -> any RequestConnection

    /// Opens a connection to a stream, with the same promises. It has no subscriptions yet.
    /// - Parameters:
    ///   - endpoint: the stream endpoint, as the sender has told it.
    ///   - control: the control endpoint of that sender.
    func listen(
        to endpoint: String, of control: String, _ settings: ConnectionSettings
    ) throws(ModelcastError) -> any StreamConnection

    /// Binds the endpoints of a sender.
    /// - Throws: ``ModelcastError`` with code `endpoint`.
    func serve(_ settings: ServingSettings) throws(ModelcastError) -> any ServingEnd

    /// Waits until there may be something to receive, ``waker`` is called, or the time is over. Messages that were left
    /// in a connection end the next wait at once.
    func wait(timeout: Duration) throws(ModelcastError)
}

extension TransportThread {
    var clock: ServiceClock { ServiceClock(shift: nil) }
    var isWatched: Bool { false }
}

/// The settings of a connection.
struct ConnectionSettings {
    /// Which events of the greeting a connection tells.
    enum GreetingWatch {
        /// The first: whether the other side has greeted or refused.
        case untilGreeted
        /// Also the loss of the connection afterwards.
        case always
        /// All of them, and each ends a wait.
        case waking
    }

    /// The greatest size of a message in bytes.
    var frameByteCount: Int
    /// How many bytes may wait, in each direction, before messages are lost.
    var queueByteCount: Int
    /// How long requests that are queued at the end are sent still.
    var linger = Duration.zero
    var greetings = GreetingWatch.untilGreeted
    /// Nil for connections without keys.
    var security: Security?
}
