import ZeroMQ

extension InMemoryExchange {
    /// A bound stream.
    struct Stream {
        let waker: Waker
        /// How many bytes may wait for one subscriber at this side.
        let queueByteCount: Int
        /// The connections, in the order in which they were made.
        var listeners: [ID] = []
        /// The subscriptions that were made and not taken yet.
        var subscriptions = BoundedQueue<[UInt8]>(limit: .max)
    }

    /// A message of a stream.
    struct StreamMessage {
        let topic: [UInt8]
        let payload: [UInt8]
    }

    /// A connection to a stream.
    struct Listener {
        let endpoint: String
        /// The service that listens, and the control endpoint of the sender.
        let link: Link
        let waker: Waker
        /// How many bytes may wait at the side of the subscriber.
        let queueByteCount: Int
        var prefixes: [[UInt8]] = []
        var messages: BoundedQueue<StreamMessage>
        /// The queue was full, and is not half empty yet. Until then all messages are lost, so that loss comes in few
        /// long runs, as with a socket (libzmq notes, row 1).
        var isLosing = false

        /// Takes a message, or loses it.
        /// - Returns: whether there is something new to read.
        mutating func take(_ message: StreamMessage) -> Bool {
            guard prefixes.contains(where: { message.topic.starts(with: $0) }) else { return false }
            if isLosing, !messages.isHalfEmpty { return false }
            isLosing = !messages.append(message, size: message.topic.count + message.payload.count)
            return !isLosing
        }
    }

    // MARK: The side that sends

    mutating func bindStream(_ endpoint: String, _ waker: Waker, queueByteCount: Int) {
        streams[endpoint] = Stream(waker: waker, queueByteCount: queueByteCount)
        for id in listeners.keys.sorted() where listeners[id]?.endpoint == endpoint { attachListener(id) }
    }

    /// Ends all connections to a stream. What was sent is still read.
    mutating func unbindStream(_ endpoint: String) { streams[endpoint] = nil }

    /// Appends a message to the queue of each subscriber of its topic.
    mutating func publish(_ message: StreamMessage, at endpoint: String) {
        guard let ids = streams[endpoint]?.listeners else { return }
        for id in ids {
            if let link = listeners[id]?.link, loses(message, on: link) { continue }
            if listeners[id]?.take(message) ?? false { listeners[id]?.waker.wake() }
        }
    }

    /// - Returns: the subscriptions that came first, and whether there are more.
    mutating func takeSubscriptions(at endpoint: String, atMost countMax: Int) -> ([[UInt8]], hasMore: Bool) {
        let subscriptions = streams[endpoint]?.subscriptions.take(atMost: countMax) ?? []
        return (subscriptions, !(streams[endpoint]?.subscriptions.isEmpty ?? true))
    }

    // MARK: The side that listens

    mutating func listen(to endpoint: String, on link: Link, _ waker: Waker, queueByteCount: Int) -> ID {
        let id = takeID()
        listeners[id] = Listener(
            endpoint: endpoint, link: link, waker: waker, queueByteCount: queueByteCount,
            messages: BoundedQueue(limit: queueByteCount))
        attachListener(id)
        return id
    }

    mutating func unlisten(_ id: ID) {
        guard let listener = listeners.removeValue(forKey: id) else { return }
        streams[listener.endpoint]?.listeners.removeAll { $0 == id }
    }

    /// A subscription is in force from now on; the sender is told afterwards.
    mutating func subscribe(_ id: ID, to prefix: [UInt8]) {
        guard let endpoint = listeners[id]?.endpoint else { return }
        listeners[id]?.prefixes.append(prefix)
        if let link = listeners[id]?.link, faults.cut.contains(link) { return }
        tell(prefix, endpoint)
    }

    mutating func unsubscribe(_ id: ID, from prefix: [UInt8]) {
        guard let index = listeners[id]?.prefixes.firstIndex(of: prefix) else { return }
        listeners[id]?.prefixes.remove(at: index)
    }

    /// - Returns: the messages that came first, and whether there are more.
    mutating func takeMessages(of id: ID, atMost countMax: Int) -> ([StreamMessage], hasMore: Bool) {
        if let link = listeners[id]?.link, faults.held.contains(link) { return ([], false) }
        let messages = listeners[id]?.messages.take(atMost: countMax) ?? []
        return (messages, !(listeners[id]?.messages.isEmpty ?? true))
    }

    private mutating func attachListener(_ id: ID) {
        guard let listener = listeners[id], let stream = streams[listener.endpoint] else { return }
        // The queues of both sides are one here, so it has the room of both.
        listeners[id]?.messages.limit = listener.queueByteCount + stream.queueByteCount
        streams[listener.endpoint]?.listeners.append(id)
        tellSubscriptions(of: id)
    }

    mutating func tellSubscriptions(of id: ID) {
        guard let listener = listeners[id], !faults.cut.contains(listener.link) else { return }
        for prefix in listener.prefixes { tell(prefix, listener.endpoint) }
    }

    private mutating func tell(_ prefix: [UInt8], _ endpoint: String) {
        _ = streams[endpoint]?.subscriptions.append(prefix, size: 1)
        streams[endpoint]?.waker.wake()
    }
}
