internal import CLibZMQ

extension Socket {
    /// Listens at an endpoint, such as `tcp://127.0.0.1:*` or `ipc:///run/modelcast/stream`.
    ///
    /// With a `*` for the port or the path the system chooses; ask ``lastEndpoint()`` for the result.
    ///
    /// - Throws: with the endpoint in the error: address in use, no such device or host, access denied, malformed.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func bind(_ endpoint: String) throws(ZeroMQError) {
        try check("zmq_bind", endpoint) { unsafe clibzmq_bind(raw, endpoint) }
    }

    /// Stops listening at an endpoint, given as ``lastEndpoint()`` told it. Existing connections end as well.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func unbind(_ endpoint: String) throws(ZeroMQError) {
        try check("zmq_unbind", endpoint) { unsafe clibzmq_unbind(raw, endpoint) }
    }

    /// Connects in the background, again and again until ``disconnect(_:)``.
    ///
    /// Success means only that the endpoint is well formed: a host that does not resolve or answer shows in a
    /// ``Monitor`` as repeated ``SocketEvent/Kind/connectRetried(after:)``. After a peer broke the frame limit or
    /// was refused by authentication libzmq never tries again, and a second connect to the same endpoint does
    /// nothing: disconnect first, then connect (libzmq notes, rows 11 and 12).
    ///
    /// Between a publisher's return and the connection's, what it sends is lost without a word: a new incarnation is
    /// met with a snapshot (row 19). Never connect to a TCP port of this host in the ephemeral range, on Linux from
    /// 32768 on, at which nothing may listen: the system may give that very port to the attempt, which is then
    /// connected to itself, and keeps the listener from its port (row 20). Fixed ports stand below that range; on one
    /// host ipc has no such trap.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        try check("zmq_connect", endpoint) { unsafe clibzmq_connect(raw, endpoint) }
    }

    /// Ends a connection and what is queued for it, given the same text as ``connect(_:)``.
    ///
    /// - Throws: ``ZeroMQError/Code/noSuchFile`` when there is no such connection.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func disconnect(_ endpoint: String) throws(ZeroMQError) {
        try check("zmq_disconnect", endpoint) { unsafe clibzmq_disconnect(raw, endpoint) }
    }

    /// The endpoint of the last bind or connect, wildcards resolved; empty before the first.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func lastEndpoint() throws(ZeroMQError) -> String {
        try get(.lastEndpoint)
    }
}
