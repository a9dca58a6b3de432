internal import CLibZMQ

/// The connection by which a message came, or which a socket has taken. It does not keep the connection open: that may
/// be gone, and its descriptor another's.
public struct Connection: Sendable, Hashable {
    /// The system's number of the connection in this process, which a later one may have again.
    public let descriptor: Int32
    /// The system's number of the socket. No other socket has this number while this one is open, or for long after.
    private let file: UInt64

    fileprivate init?(_ message: UnsafePointer<Message>) {
        let content = unsafe UnsafeRawPointer(message).assumingMemoryBound(to: clibzmq_message.self)
        self.init(descriptor: unsafe clibzmq_message_descriptor(content))
    }

    /// The connection that has this descriptor now; nil where none has.
    public init?(descriptor: Int32) {
        self.descriptor = descriptor
        file = descriptor < 0 ? 0 : clibzmq_socket_number(descriptor)
        guard file != 0 else { return nil }
    }

    /// The socket is still open, with the same descriptor.
    public var isOpen: Bool { clibzmq_socket_number(descriptor) == file }

    /// Limits how many bytes wait in the system until they can be sent, where the connection is one over TCP. Without a
    /// limit the system takes megabytes for a peer that does not read.
    public func boundUnsent(byteCount: Int) {
        _ = clibzmq_socket_bound(descriptor, file, Int32(clamping: byteCount))
    }

    /// How many bytes libzmq has read from the connection; 0 where the system does not tell, as for one that is not
    /// over TCP.
    public var takenByteCount: UInt64 { clibzmq_socket_taken(descriptor, file) }

    /// Closes the connection as if the network had: libzmq drops the messages that wait for the peer.
    /// - Returns: whether the connection was still there.
    @discardableResult
    public func cut() -> Bool { clibzmq_socket_cut(descriptor, file) == 0 }
}

extension Message {
    /// The connection by which the frame was received; nil within a process.
    public var connection: Connection? {
        unsafe withUnsafePointer(to: self) { unsafe Connection($0) }
    }

    /// The address from which the peer has connected, without its port; nil where libzmq tells none, as over ipc.
    public var address: String? {
        unsafe withUnsafePointer(to: self) { message in
            let content = unsafe UnsafeRawPointer(message).assumingMemoryBound(to: clibzmq_message.self)
            guard let text = unsafe clibzmq_message_address(content), unsafe text.pointee != 0 else { return nil }
            return unsafe String(cString: text)
        }
    }

    /// The key that the peer has proven, as the ZAP handler has named it; nil where no keys are used.
    public var key: Curve.PublicKey? {
        unsafe withUnsafePointer(to: self) { message in
            let content = unsafe UnsafeRawPointer(message).assumingMemoryBound(to: clibzmq_message.self)
            guard let text = unsafe clibzmq_message_user(content) else { return nil }
            return unsafe Curve.PublicKey(z85: String(cString: text))
        }
    }
}
