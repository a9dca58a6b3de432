internal import CLibZMQ
internal import Synchronization

/// The stream of ``SocketEvent``s of one socket, on the socket's own thread.
///
///     let monitor = try socket.makeMonitor()    // before bind or connect
///     let token = try poller.add(monitor)
///     …
///     while let event = try monitor.next() { … }
///
/// - Start it before bind and connect, otherwise the first events are missed.
/// - It ends in the right order by itself, whether the monitor or the socket goes first (libzmq notes, row 14).
/// - Read it whenever the poller reports it. Events queue without limit, because a full queue would block libzmq's own
///   thread and leave the monitored socket silently dead. Failed connects are the most frequent events;
///   ``SocketOption/reconnectInterval`` bounds their rate.
@safe
public struct Monitor: ~Copyable {
    private let watched: SocketHandle
    fileprivate let receiver: Socket

    private static let lastNumber = Atomic<UInt64>(0)

    fileprivate init(of watched: SocketHandle) throws(ZeroMQError) {
        receiver = try Monitor.start(watched)
        self.watched = watched
    }

    /// Starts the events of a socket.
    /// - Returns: the socket that receives them.
    static func start(_ watched: SocketHandle) throws(ZeroMQError) -> sending Socket {
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        let endpoint = "inproc://modelcast-monitor-\(number)"
        let receiver = try Socket(.pair, in: watched.context)
        try receiver.set(.receiveHighWaterMark, 0)
        try watched.startMonitor(at: endpoint)
        do {
            try receiver.connect(endpoint)
        } catch {
            watched.stopMonitor()
            throw error
        }
        return receiver
    }

    deinit {
        // The source ends first, then the receiver, as one of this value's properties.
        watched.stopMonitor()
    }

    /// The next event, or nil when none has come.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func next() throws(ZeroMQError) -> SocketEvent? { try receiver.nextEvent() }
}

extension Socket {
    /// The next event of the socket that this one watches, or nil when none has come.
    borrowing func nextEvent() throws(ZeroMQError) -> SocketEvent? {
        guard let head = try receive() else { return nil }
        // An event has two frames: 16 bits of event and 32 of value in native order, then the endpoint.
        let numbers = head.withBytes { bytes -> (event: UInt16, value: UInt32)? in
            guard bytes.byteCount >= 6 else { return nil }
            return unsafe (
                bytes.unsafeLoadUnaligned(as: UInt16.self),
                bytes.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt32.self)
            )
        }
        var endpoint = ""
        if head.hasMore, let tail = try receive() {
            endpoint = tail.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
            }
        }
        return numbers.map { SocketEvent(event: $0.event, value: $0.value, endpoint: endpoint) }
    }
}

@available(*, unavailable, message: "a monitor belongs to the thread of its socket")
extension Monitor: Sendable {}

extension Socket {
    /// Starts watching this socket's connections.
    ///
    /// - Precondition: no other monitor of this socket exists.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func makeMonitor() throws(ZeroMQError) -> Monitor {
        try Monitor(of: handle)
    }
}

extension Poller {
    /// Adds a monitor. Readable means that ``Monitor/next()`` has an event.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public mutating func add(_ monitor: borrowing Monitor) throws(ZeroMQError) -> Token {
        try add(monitor.receiver)
    }
}
