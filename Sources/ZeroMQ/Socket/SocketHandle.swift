internal import CLibZMQ

/// An open socket. Its ``Socket``, its ``Monitor`` and the ``Poller``s that watch it share it, all on one thread, so
/// that a poller and a monitor can tell when the socket has been closed.
@safe
final class SocketHandle {
    /// Valid while `isOpen`.
    let raw: UnsafeMutableRawPointer
    private(set) var isOpen = true
    private(set) var isMonitored = false
    /// The socket that receives the events, where others than its owner would let it go too early.
    var monitorReceiver: SharedSocket?
    /// The files of the ipc endpoints that the socket is bound to.
    var files: [SocketFile] = []

    /// Nothing can be received, and the descriptor will signal when that changes: the last call on the socket was a
    /// receive or a look that found nothing.
    ///
    /// Both calls take commands until libzmq's mailbox for the socket is empty. That leaves the descriptor unreadable
    /// and the mailbox passive, so the next command that comes there signals. Any other call may take commands, and
    /// with them the signal, without telling what has become readable; so each of them sets this to false
    /// (``Socket/raw``).
    var isKnownEmpty = false

    /// libzmq terminates a context only after its last socket, so each socket keeps its context.
    let context: Context

    init(_ raw: UnsafeMutableRawPointer, context: Context) {
        unsafe self.raw = raw
        self.context = context
    }

    /// The events of the socket: what it can do now. First takes the commands that libzmq's own threads have left for
    /// it.
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

    /// Ends the monitoring. The monitor's own socket must still exist: an event that no socket can receive blocks the
    /// thread that reports it (libzmq notes, row 14).
    func stopMonitor() {
        guard isOpen && isMonitored else { return }
        (isMonitored, isKnownEmpty) = (false, false)
        // Fails only on a terminated context, where monitoring has ended already.
        _ = unsafe clibzmq_monitor(raw, nil, 0)
        monitorReceiver = nil
    }

    /// Removes the files of endpoints. The socket still listens there, so no other start takes them for left behind.
    func removeFiles(where isMeant: (SocketFile) -> Bool) {
        for file in files where isMeant(file) { file.remove() }
        files.removeAll(where: isMeant)
    }

    func close() {
        guard isOpen else { return }
        stopMonitor()
        removeFiles { _ in true }
        isOpen = false
        // Fails only for a pointer that is not a socket.
        unsafe zmq_close(raw)
    }
}
