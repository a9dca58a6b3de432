internal import CLibZMQ

/// The home of sockets: libzmq's I/O threads and their queues. One context for a process is right in nearly all cases.
///
///     let context = try Context()
///     let socket = try Socket(.sub, in: context)
///
/// - Every socket keeps its context alive, and the context terminates with its last reference, so it never waits for an
///   open socket. It waits only for messages of closed sockets that linger (``Socket/close(linger:)``; zero unless
///   asked for), on the thread that gives up the last reference.
/// - A context does not survive `fork`: its threads exist in the parent only. Make contexts after forking, and
///   start other programs by spawning them.
@safe
public final class Context: Sendable {
    /// Sharing the pointer is sound, as it never changes, and libzmq documents contexts as safe for any thread. After
    /// initialisation it is used for `zmq_socket` and, once, for `zmq_ctx_term`.
    nonisolated(unsafe) let raw: UnsafeMutableRawPointer

    /// Starts a context.
    ///
    /// - Parameters:
    ///   - ioThreads: threads that move bytes; one is enough for about a gigabyte a second. Zero is for inproc only.
    ///   - maxSockets: upper limit of open sockets, a safety net against a leak.
    /// - Throws: when a limit is out of range, or the system has no descriptors or memory left.
    public init(ioThreads: Int = 1, maxSockets: Int = 1023) throws(ZeroMQError) {
        guard let ioThreads = CInt(exactly: ioThreads), let maxSockets = CInt(exactly: maxSockets) else {
            throw failure(-EINVAL, "zmq_ctx_set", "ioThreads \(ioThreads), maxSockets \(maxSockets)")
        }
        guard let raw = unsafe zmq_ctx_new() else { throw failure(clibzmq_result(-1), "zmq_ctx_new") }
        unsafe self.raw = raw
        try set(ZMQ_IO_THREADS, ioThreads, "ZMQ_IO_THREADS")
        try set(ZMQ_MAX_SOCKETS, maxSockets, "ZMQ_MAX_SOCKETS")
        // New sockets linger for zero, not for ever, so that no deinitialiser can hang.
        try set(ZMQ_BLOCKY, 0, "ZMQ_BLOCKY")
    }

    deinit {
        // Besides an interrupt, the call fails only for an invalid context, and this one is valid.
        _ = retryingInterrupts { unsafe clibzmq_context_terminate(raw) }
    }

    private func set(_ option: CInt, _ value: CInt, _ name: String) throws(ZeroMQError) {
        try check("zmq_ctx_set", "\(name) \(value)") { unsafe clibzmq_context_set(raw, option, value) }
    }

    /// The version of the libzmq that is loaded, such as `4.3.4`.
    public static var libraryVersion: String {
        var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
        unsafe zmq_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }
}
