internal import CLibZMQ

/// The file of a bound ipc endpoint. It is made without harm to what stands there, and removed by who has made it.
///
/// libzmq removes whatever stands at the path before it binds, and once more when it closes: a file of somebody else,
/// or the socket of a process that is running. So binding is done here, and libzmq is given the descriptor, with which
/// it leaves files alone (libzmq notes, row 22).
struct SocketFile {
    let path: String
    /// A socket keeps its file's number from being given to another file for as long as it is open.
    private let file: clibzmq_file

    /// The path of an endpoint that has a file; nil for other transports, for Linux's abstract names (`@name`), and
    /// where the system chooses (`*`).
    static func path(in endpoint: String) -> String? {
        let prefix = "ipc://"
        guard endpoint.hasPrefix(prefix) else { return nil }
        let path = endpoint.dropFirst(prefix.count)
        return path.isEmpty || path.hasPrefix("*") || path.hasPrefix("@") ? nil : String(path)
    }

    /// Begins to listen.
    /// - Returns: the descriptor, which is the caller's to close, and the file.
    /// - Throws: ``ZeroMQError/Code/addressInUse`` where somebody serves the path, ``ZeroMQError/Code/fileExists``
    ///   where what stands there is no socket.
    static func listening(
        at path: String, endpoint: String, backlog: Int
    ) throws(ZeroMQError) -> (descriptor: CInt, SocketFile) {
        // Between the look and the removal another start could bind, and its socket would be removed. Where the
        // directory cannot be locked that window remains.
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

    /// Removes a socket that nobody serves any more, and nothing else.
    private static func removeLeftover(_ path: String, _ endpoint: String) throws(ZeroMQError) {
        var file = clibzmq_file()
        let kind = unsafe clibzmq_file_look(path, &file)
        // It has gone meanwhile.
        if kind == -ENOENT { return }
        if kind < 0 { throw failure(kind, "zmq_bind", endpoint) }
        guard kind == 1 else { throw failure(-EEXIST, "zmq_bind", endpoint) }
        switch unsafe clibzmq_local_probe(path) {
        case -ENOENT: return
        case -ECONNREFUSED:
            let result = unsafe clibzmq_file_remove(path)
            if result < 0, result != -ENOENT { throw failure(result, "zmq_bind", endpoint) }
        case -EACCES: throw failure(-EACCES, "zmq_bind", endpoint)
        // Zero, a full queue, or a socket of another kind: whatever serves it is alive.
        default: throw failure(-EADDRINUSE, "zmq_bind", endpoint)
        }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Removes the file, unless another stands in its place. While its socket is open.
    func remove() {
        var present = clibzmq_file()
        guard unsafe clibzmq_file_look(path, &present) == 1, present.device == file.device,
            present.inode == file.inode
        else { return }
        _ = unsafe clibzmq_file_remove(path)
    }
}
