internal import CLibZMQ

/// The connection that a message came by. It holds nothing: the connection may be gone, and its descriptor another's.
public struct Connection: Sendable, Hashable {
    private let descriptor: Int32
    /// What the system calls the socket; no other has that number while this one is open, or for long after.
    private let file: UInt64

    fileprivate init?(_ message: UnsafePointer<Message>) {
        let content = unsafe UnsafeRawPointer(message).assumingMemoryBound(to: clibzmq_message.self)
        descriptor = unsafe clibzmq_message_descriptor(content)
        file = descriptor < 0 ? 0 : clibzmq_socket_number(descriptor)
        guard file != 0 else { return nil }
    }

    /// The socket is still open, behind the same descriptor.
    public var isOpen: Bool { clibzmq_socket_number(descriptor) == file }

    /// Lets no more than so many bytes wait in the system until they can be sent, where the connection is one over TCP.
    /// The system would take megabytes for a peer that does not read.
    public func boundUnsent(byteCount: Int) {
        _ = clibzmq_socket_bound(descriptor, file, Int32(clamping: byteCount))
    }

    /// Closes the connection as if the network had: libzmq lets go of what waits for the peer.
    /// - Returns: whether it was still there.
    @discardableResult
    public func cut() -> Bool { clibzmq_socket_cut(descriptor, file) == 0 }
}

extension Message {
    /// By which connection it was received; nil within a process.
    public var connection: Connection? {
        unsafe withUnsafePointer(to: self) { unsafe Connection($0) }
    }
}
