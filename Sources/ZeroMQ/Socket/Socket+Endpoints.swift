internal import CLibZMQ

extension Socket {
    /// Listens at an endpoint, such as `tcp://127.0.0.1:*` or `ipc:///run/modelcast/stream`.
    ///
    /// `localhost` is 127.0.0.1, an IPv6 address stands in brackets, and `tcp://[::]:port` is every address
    /// of both kinds.
    ///
    /// With a `*` for the port or the path the system chooses; ask ``lastEndpoint()`` for the result.
    ///
    /// A path of `ipc://` at which a file stands is refused. Only a socket file that no process serves any more is
    /// removed. The file that is made here is removed when the socket closes (row 22).
    ///
    /// - Throws: with the endpoint in the error: address in use, no such device or host, access denied, malformed.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func bind(_ endpoint: String) throws(ZeroMQError) {
        guard let path = SocketFile.path(in: endpoint) else {
            try set(.ipv6, Socket.hasIPv6Literal(endpoint))
            // libzmq looks up no names when it binds.
            let prefix = "tcp://localhost:"
            let numeric = endpoint.hasPrefix(prefix) ? "tcp://127.0.0.1:" + endpoint.dropFirst(prefix.count) : endpoint
            try check("zmq_bind", endpoint) { unsafe clibzmq_bind(raw, numeric) }
            return
        }
        let (descriptor, file) = try SocketFile.listening(at: path, endpoint: endpoint, backlog: get(.backlog))
        do throws(ZeroMQError) {
            try bind(endpoint, listeningBy: descriptor)
        } catch {
            file.remove()
            throw error
        }
        handle.files.append(file)
    }

    /// Listens at a numeric address, such as `127.0.0.1` or `[::1]`, as ``bind(_:)`` does. For sockets that are bound
    /// while others may have taken the last descriptors: libzmq looks at the interfaces of the machine before it binds,
    /// and ends the process where there is no descriptor for that (row 26).
    /// - Parameter port: nil for any free port.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func bind(toAddress address: String, port: UInt16?) throws(ZeroMQError) {
        let endpoint = "tcp://\(address):\(port.map { String($0) } ?? "*")"
        let isSix = address.hasPrefix("[") && address.hasSuffix("]")
        let number = isSix ? String(address.dropFirst().dropLast()) : address
        let backlog = CInt(clamping: try get(.backlog))
        let descriptor = unsafe clibzmq_network_listen(number, port ?? 0, backlog)
        guard descriptor >= 0 else { throw failure(descriptor, "zmq_bind", endpoint) }
        try set(.ipv6, isSix)
        try bind(endpoint, listeningBy: descriptor)
    }

    /// Gives libzmq a descriptor that listens. It is libzmq's only after a successful bind.
    private func bind(_ endpoint: String, listeningBy descriptor: CInt) throws(ZeroMQError) {
        do throws(ZeroMQError) {
            // The option is for the next bind only.
            try setRaw(ZMQ_USE_FD, number: descriptor, endpoint)
            try check("zmq_bind", endpoint) { unsafe clibzmq_bind(raw, endpoint) }
        } catch {
            clibzmq_descriptor_close(descriptor)
            try setRaw(ZMQ_USE_FD, number: -1, endpoint)
            throw error
        }
        try setRaw(ZMQ_USE_FD, number: -1, endpoint)
    }

    private func setRaw(_ option: CInt, number: CInt, _ subject: String) throws(ZeroMQError) {
        try setRaw(option, unsafe withUnsafeBytes(of: number) { unsafe Array($0) }, subject)
    }

    /// Stops listening at an endpoint, given as ``lastEndpoint()`` returned it. Existing connections end as well.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func unbind(_ endpoint: String) throws(ZeroMQError) {
        if let path = SocketFile.path(in: endpoint) { handle.removeFiles { $0.path == path } }
        try check("zmq_unbind", endpoint) { unsafe clibzmq_unbind(raw, endpoint) }
    }

    /// Connects in the background, again and again until ``disconnect(_:)``.
    ///
    /// Success means only that the endpoint is well formed: a host that does not resolve or answer shows in a
    /// ``Monitor`` as repeated ``SocketEvent/Kind/connectRetried(after:)``. After a peer broke the frame limit or
    /// was refused by authentication libzmq never tries again, and a second connect to the same endpoint does
    /// nothing: disconnect first, then connect (libzmq notes, rows 11 and 12).
    ///
    /// Messages that a publisher sends between its return and the new connection are lost silently: the subscriber
    /// meets the new incarnation with a snapshot (row 19). Never connect to a TCP port of this host in the ephemeral
    /// range, on Linux from 32768 on, while no process may listen there. The system may give that very port to the
    /// attempt, which is then connected to itself and keeps the listener from its port (row 20). Use fixed ports below
    /// that range; on one host ipc has no such trap.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        try set(.ipv6, Socket.hasIPv6Literal(endpoint))
        try check("zmq_connect", endpoint) { unsafe clibzmq_connect(raw, endpoint) }
    }

    /// IPv6 is on for addresses in brackets only. With IPv6 libzmq takes the first IPv6 address of a name and tries no
    /// other, so `localhost` would not reach a listener at 127.0.0.1.
    private static func hasIPv6Literal(_ endpoint: String) -> Bool { endpoint.hasPrefix("tcp://[") }

    /// Ends a connection and drops its queue, given the same text as ``connect(_:)``.
    ///
    /// - Throws: ``ZeroMQError/Code/noSuchFile`` when there is no such connection.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func disconnect(_ endpoint: String) throws(ZeroMQError) {
        try check("zmq_disconnect", endpoint) { unsafe clibzmq_disconnect(raw, endpoint) }
    }

    /// The endpoint of the last bind or connect, with wildcards resolved; empty before the first.
    @available(*, noasync, message: "one thread owns a socket, and a task hops threads: use a thread of your own")
    public func lastEndpoint() throws(ZeroMQError) -> String {
        try get(.lastEndpoint)
    }
}
