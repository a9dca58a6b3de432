internal import CLibZMQ

/// The file of a bound ipc endpoint. It is made without harm to other files at the path, and is removed by the socket
/// that made it.
///
/// libzmq removes any file at the path before it binds, and once more when it closes: it may be another program's file,
/// or the socket of a running process. So this type binds, and gives libzmq the descriptor, with which it leaves files
/// alone (libzmq notes, row 22).
struct SocketFile {
    let path: String
    /// The identity of the file. No other file gets this number while the socket is open.
    private let file: clibzmq_file

    /// The path of an endpoint that has a file; nil for other transports, for Linux's abstract names (`@name`), and
    /// where the system chooses the path (`*`).
    static func path(in endpoint: String) -> String? {
        let prefix = "ipc://"
        guard endpoint.hasPrefix(prefix) else { return nil }
        let path = endpoint.dropFirst(prefix.count)
        return path.isEmpty || path.hasPrefix("*") || path.hasPrefix("@") ? nil : String(path)
    }

    /// Begins to listen at a path.
    /// - Returns: the descriptor, which the caller has to close, and the file.
    /// - Throws: ``ZeroMQError/Code/addressInUse`` where a process serves the path, ``ZeroMQError/Code/fileExists``
    ///   where the file there is not a socket.
    static func listening(
        at path: String, endpoint: String, backlog: Int
    ) throws(ZeroMQError) -> (descriptor: CInt, SocketFile) {
        // The lock keeps another start from binding between the probe and the removal, which would remove its socket.
        // Where the directory cannot be locked, that risk remains.
        let lock = unsafe clibzmq_directory_lock(directory(of: path))
        defer { if lock >= 0 { clibzmq_descriptor_close(lock) } }
        while true {
            var file = clibzmq_file()
            let result = unsafe clibzmq_local_listen(path, CInt(clamping: backlog), &file)
            if result >= 0 { return (result, SocketFile(path: path, file: file)) }
            guard result == -EADDRINUSE else { throw failure(result, "zmq_bind", endpoint) }
            try removeLeftover(path, endpoint)
        }
    }

    /// Removes a socket file that no process serves any more, and nothing else.
    private static func removeLeftover(_ path: String, _ endpoint: String) throws(ZeroMQError) {
        var file = clibzmq_file()
        let kind = unsafe clibzmq_file_look(path, &file)
        // The file has gone meanwhile.
        if kind == -ENOENT { return }
        if kind < 0 { throw failure(kind, "zmq_bind", endpoint) }
        guard kind == 1 else { throw failure(-EEXIST, "zmq_bind", endpoint) }
        switch unsafe clibzmq_local_probe(path) {
        case -ENOENT: return
        case -ECONNREFUSED:
            let result = unsafe clibzmq_file_remove(path)
            if result < 0, result != -ENOENT { throw failure(result, "zmq_bind", endpoint) }
        case -EACCES: throw failure(-EACCES, "zmq_bind", endpoint)
        // Zero, a full queue, or a socket of another kind: a process serves the path.
        default: throw failure(-EADDRINUSE, "zmq_bind", endpoint)
        }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Removes the file, unless another one stands in its place. Called while its socket is open.
    func remove() {
        var present = clibzmq_file()
        guard unsafe clibzmq_file_look(path, &present) == 1, present.device == file.device,
            present.inode == file.inode
        else { return }
        _ = unsafe clibzmq_file_remove(path)
    }
}
