internal import Synchronization

/// A socket that several threads use in turns, behind a lock. libzmq lets a socket pass from one thread to another
/// where a full fence stands between them, and a lock is one.
///
///     let stream = SharedSocket(socket)
///     let token = poller.add(stream)                       // on the thread that waits
///     let events = try stream.withLock { socket throws(ZeroMQError) in … }   // on any thread
///
/// A call on a socket takes libzmq's commands for the socket, and with them the signal that would have ended a
/// ``Poller``'s wait. So a thread other than the waiting one calls ``Socket/events()`` afterwards, under the same lock,
/// and wakes the poller where there is something to receive.
@safe
public final class SharedSocket: Sendable {
    private let socket: Mutex<Socket>
    /// States the order of two holders of the lock once more, in our own code. A thread that had to wait takes a
    /// `Mutex` inside the library, which is not built with the thread sanitizer, so the sanitizer sees no order there.
    private let order = Atomic<UInt8>(0)
    let descriptor: CInt

    /// Takes over a socket.
    ///
    /// - Throws: when the socket does not tell its descriptor, which only a terminated context causes.
    @available(*, noasync, message: "one thread opens a socket, and a task hops threads: use a thread of your own")
    public init(_ socket: consuming sending Socket) throws(ZeroMQError) {
        descriptor = try socket.get(.fileDescriptor)
        self.socket = Mutex(socket)
    }

    /// Calls `body` with the socket while no other thread has it. `body` must be quick and must take no other lock.
    @available(*, noasync, message: "a lock is held meanwhile: call it from a synchronous function")
    public func withLock<Result: Sendable>(
        _ body: (borrowing Socket) throws(ZeroMQError) -> Result
    ) throws(ZeroMQError) -> Result {
        try socket.withLock { socket throws(ZeroMQError) in
            _ = order.load(ordering: .acquiring)
            defer { order.store(0, ordering: .releasing) }
            return try body(socket)
        }
    }

    /// The events of the socket: what it can do now.
    func events() throws(ZeroMQError) -> Socket.Events {
        try withLock { socket throws(ZeroMQError) in try socket.events() }
    }

    /// See ``SocketHandle/isKnownEmpty``, which all threads change under the lock.
    var isKnownEmpty: Bool {
        socket.withLock { socket in
            _ = order.load(ordering: .acquiring)
            defer { order.store(0, ordering: .releasing) }
            return socket.handle.isKnownEmpty
        }
    }
}

extension Socket {
    /// The events of the socket: what it can do now. First takes the commands that libzmq's own threads have left for
    /// it.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func events() throws(ZeroMQError) -> Events {
        try handle.events()
    }
}
