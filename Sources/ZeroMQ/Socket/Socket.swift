internal import CLibZMQ

/// One libzmq socket, owned by exactly one thread from creation to closing.
///
///     let socket = try Socket(.sub, in: context)
///     try socket.applyDefaults(frameLimit: 1 << 20, memoryLimit: 256 << 20)
///     try socket.subscribe(to: "m/User/")
///     try socket.connect("tcp://10.0.0.5:7000")
///
/// - The type cannot be copied, is not `Sendable`, and cannot be used from an asynchronous context: a task hops
///   threads, and a socket may not. Use after ``close(linger:)`` does not compile.
/// - The socket holds its context and closes itself at the end of its life.
/// - Do nothing slow on the owning thread: libzmq re-sends subscriptions after a reconnect from there, inside the
///   next call on the socket (libzmq notes, row 6).
/// - Fan-out loses messages silently by design: a PUB or XPUB drops a message for a peer whose queue is full and
///   reports success (row 1). Sequences and repair belong to the layer above.
@safe
public struct Socket: ~Copyable {
    /// The messaging pattern of a socket.
    public enum Kind: CInt, CaseIterable, Sendable {
        case pair = 0
        case pub = 1
        case sub = 2
        case req = 3
        case rep = 4
        case dealer = 5
        case router = 6
        case pull = 7
        case push = 8
        case xpub = 9
        case xsub = 10
    }

    /// The events of a socket: what it can do now without blocking.
    public struct Events: OptionSet, Hashable, Sendable {
        /// The bits of libzmq.
        public let rawValue: Int16

        /// Makes a set of libzmq's bits.
        public init(rawValue: Int16) {
            self.rawValue = rawValue
        }

        /// ``Socket/receive()`` will return a message.
        public static let readable = Events(rawValue: Int16(ZMQ_POLLIN))
        /// `send(_:more:)` will not return ``SendOutcome/wouldBlock``. A ROUTER and an XPUB
        /// are always writable: what counts there is each peer's queue.
        public static let writable = Events(rawValue: Int16(ZMQ_POLLOUT))
    }

    /// The kind that the socket was opened with.
    public let kind: Kind

    /// A copy of the handle's pointer, so that sending and receiving touch no reference count.
    private let pointer: UnsafeMutableRawPointer
    let handle: SocketHandle

    /// The pointer for calls of libzmq. After such a call it is not known whether there is something to receive.
    var raw: UnsafeMutableRawPointer {
        handle.isKnownEmpty = false
        return unsafe pointer
    }

    /// The same pointer for calls that look for something to receive. They note the result themselves.
    var rawForLook: UnsafeMutableRawPointer { unsafe pointer }

    /// Opens a socket that is connected to nothing yet.
    ///
    /// - Throws: ``ZeroMQError/Code/tooManyOpenFiles`` at the context's socket limit.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public init(_ kind: Kind, in context: Context) throws(ZeroMQError) {
        guard let raw = unsafe zmq_socket(context.raw, kind.rawValue) else {
            throw failure(clibzmq_result(-1), "zmq_socket", "\(kind)")
        }
        self.kind = kind
        unsafe pointer = raw
        unsafe handle = SocketHandle(raw, context: context)
    }

    deinit {
        handle.close()
    }

    /// Closes the socket. Pending messages may still be sent for as long as `linger`.
    ///
    /// Returns at once; the end of the context waits for these messages. A socket at the end of its scope is closed,
    /// too, with the ``SocketOption/linger`` that it has (zero unless set).
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public consuming func close(linger: Duration = .zero) {
        // Setting a linger that is not negative on an open socket cannot fail.
        try? set(.linger, linger)
        handle.close()
    }
}

@available(*, unavailable, message: "one thread owns a socket: make it on the thread that uses it")
extension Socket: Sendable {}
