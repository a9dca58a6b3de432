internal import CLibZMQ

/// The open socket itself, shared by its ``Socket``, its ``Monitor`` and the ``Poller``s that watch it, all on
/// one thread; so a poll set and a monitor can tell that the socket has been closed.
@safe
final class SocketHandle {
    /// Valid while `isOpen`.
    let raw: UnsafeMutableRawPointer
    private(set) var isOpen = true
    private(set) var isMonitored = false

    /// libzmq terminates a context only after its last socket, so each socket keeps its context.
    let context: Context

    init(_ raw: UnsafeMutableRawPointer, context: Context) {
        unsafe self.raw = raw
        self.context = context
    }

    func startMonitor(at endpoint: String) throws(ZeroMQError) {
        precondition(isOpen && !isMonitored, "a socket has at most one monitor at a time")
        try check("zmq_socket_monitor", endpoint) { unsafe clibzmq_monitor(raw, endpoint, ZMQ_EVENT_ALL) }
        isMonitored = true
    }

    /// Ends the monitoring, which must happen while the monitor's own socket still exists: an event that nobody
    /// can receive blocks the thread that reports it (libzmq notes, row 14).
    func stopMonitor() {
        guard isOpen && isMonitored else { return }
        isMonitored = false
        // Fails only on a terminated context, where monitoring has ended already.
        _ = unsafe clibzmq_monitor(raw, nil, 0)
    }

    func close() {
        guard isOpen else { return }
        stopMonitor()
        isOpen = false
        // Fails only on what is not a socket.
        unsafe zmq_close(raw)
    }
}
