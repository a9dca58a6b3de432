internal import CLibZMQ

/// The open socket itself, shared by its ``Socket``, its ``Monitor`` and the ``Poller``s that watch it, all on
/// one thread; so a poll set and a monitor can tell that the socket has been closed.
@safe
final class SocketHandle {
    /// Valid while `isOpen`.
    let raw: UnsafeMutableRawPointer
    private(set) var isOpen = true
    private(set) var isMonitored = false
    /// Of the ipc endpoints that it is bound to.
    var files: [SocketFile] = []

    /// There is nothing to receive, and the descriptor will tell when that has changed: the last call on the socket was
    /// a receive or a look that found nothing.
    ///
    /// Both end by taking commands until libzmq's mailbox for the socket is empty, which leaves the descriptor
    /// unreadable and the mailbox passive: whoever puts the next command there signals. Any other call may take
    /// commands, and with them the signal, and does not say what has become readable; so each of them sets this to
    /// false (``Socket/raw``).
    var isKnownEmpty = false

    /// libzmq terminates a context only after its last socket, so each socket keeps its context.
    let context: Context

    init(_ raw: UnsafeMutableRawPointer, context: Context) {
        unsafe self.raw = raw
        self.context = context
    }

    /// What the socket can do now, after taking what libzmq's own threads have for it.
    func events() throws(ZeroMQError) -> Socket.Events {
        let events = try check("zmq_getsockopt", "ZMQ_EVENTS") { unsafe clibzmq_events(raw) }
        let result = Socket.Events(rawValue: Int16(events))
        isKnownEmpty = !result.contains(.readable)
        return result
    }

    func startMonitor(at endpoint: String) throws(ZeroMQError) {
        precondition(isOpen && !isMonitored, "a socket has at most one monitor at a time")
        try check("zmq_socket_monitor", endpoint) { unsafe clibzmq_monitor(raw, endpoint, ZMQ_EVENT_ALL) }
        (isMonitored, isKnownEmpty) = (true, false)
    }

    /// Ends the monitoring, which must happen while the monitor's own socket still exists: an event that nobody
    /// can receive blocks the thread that reports it (libzmq notes, row 14).
    func stopMonitor() {
        guard isOpen && isMonitored else { return }
        (isMonitored, isKnownEmpty) = (false, false)
        // Fails only on a terminated context, where monitoring has ended already.
        _ = unsafe clibzmq_monitor(raw, nil, 0)
    }

    /// Removes the files of endpoints, while the socket still listens there: nobody takes them for left behind.
    func removeFiles(where isMeant: (SocketFile) -> Bool) {
        for file in files where isMeant(file) { file.remove() }
        files.removeAll(where: isMeant)
    }

    func close() {
        guard isOpen else { return }
        stopMonitor()
        removeFiles { _ in true }
        isOpen = false
        // Fails only on what is not a socket.
        unsafe zmq_close(raw)
    }
}
