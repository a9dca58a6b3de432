/// The stream of ``SocketEvent``s of a socket that is to be shared by several threads.
///
///     let monitor = try SharedMonitor(of: socket)    // before bind
///     let stream = SharedSocket(socket)
///     let token = poller.add(monitor)
///
/// The socket keeps what receives its events for as long as it is open, because an event that nothing can receive
/// blocks the thread that reports it (libzmq notes, row 14). What ``Monitor`` says holds here, too.
public final class SharedMonitor: Sendable {
    let receiver: SharedSocket

    /// Starts watching.
    /// - Precondition: no other monitor of this socket exists.
    @available(*, noasync, message: "one thread opens a socket, and a task hops threads: use a thread of your own")
    public init(of watched: borrowing Socket) throws(ZeroMQError) {
        receiver = try SharedSocket(Monitor.start(watched.handle))
        watched.handle.monitorReceiver = receiver
    }

    /// The next event, or nil when none has come.
    @available(*, noasync, message: "a lock is held meanwhile: call it from a synchronous function")
    public func next() throws(ZeroMQError) -> SocketEvent? {
        try receiver.withLock { socket throws(ZeroMQError) in try socket.nextEvent() }
    }
}

extension Poller {
    /// Adds a monitor. Readable means that ``SharedMonitor/next()`` has an event.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public mutating func add(_ monitor: SharedMonitor) -> Token { add(monitor.receiver) }
}
