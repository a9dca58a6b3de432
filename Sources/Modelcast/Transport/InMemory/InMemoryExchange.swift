import ZeroMQ

/// All that is bound and connected on a bus, with the queues. A value without threads: each call says what has come of
/// it, and wakes the thread that has something to take.
///
/// Requests and streams know nothing of each other, as with sockets: `InMemoryExchange+Requests` and
/// `InMemoryExchange+Streams`.
struct InMemoryExchange: Sendable {
    /// The number of a connection, or of a peer. None is used twice.
    typealias ID = UInt64

    /// The bound control endpoints.
    var controls: [String: Control] = [:]
    /// The connections for requests.
    var requesters: [ID: Requester] = [:]
    /// The connection of each peer of a control endpoint.
    var peers: [ID: ID] = [:]
    /// The bound streams.
    var streams: [String: Stream] = [:]
    /// The connections to streams.
    var listeners: [ID: Listener] = [:]
    /// The threads of services, and faults that a test makes.
    var threads: [ID: Thread] = [:]
    var faults = Faults()
    private var lastID: ID = 0

    mutating func takeID() -> ID {
        lastID += 1
        return lastID
    }

    func isControl(_ endpoint: String) -> Bool { controls[endpoint] != nil }
    func isStream(_ endpoint: String) -> Bool { streams[endpoint] != nil }

    /// Binds the endpoints of a sender, both or neither. Connections that wait for them are there from now on.
    /// - Returns: the endpoints, with a free name where a `*` was.
    /// - Throws: ``ModelcastError`` where one is bound already.
    mutating func bind(_ settings: ServingSettings, _ waker: Waker) throws(ModelcastError) -> SenderEndpoints {
        let stream = try settings.stream.map { endpoint throws(ModelcastError) in try free(endpoint) }
        let control = try free(settings.control)
        if let stream { bindStream(stream, waker, queueByteCount: settings.subscriberQueueByteCount) }
        bindControl(
            control, waker,
            replyCountMax: max(
                InMemoryExchange.replyCount, settings.subscriberQueueByteCount / settings.frameByteCount))
        return SenderEndpoints(controlAt: control, streamAt: stream ?? "")
    }

    /// The lowest number of replies that may wait for one peer: above what credit and budgets let wait.
    private static let replyCount = 1024

    private mutating func free(_ endpoint: String) throws(ModelcastError) -> String {
        if endpoint == InMemoryBus.wildcard { return "memory://free-\(takeID())" }
        guard !isControl(endpoint), !isStream(endpoint) else {
            throw ModelcastError(.endpoint, "\(endpoint) is bound on this bus already; choose another name")
        }
        return endpoint
    }
}
