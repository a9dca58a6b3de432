internal import CLibZMQ

/// One frame: bytes that libzmq owns.
///
/// - It cannot be copied, and sending moves it. ``duplicate()`` makes a second frame that shares the bytes.
/// - The bytes are lent inside a closure only. Up to 33 of them live inside the value itself, so an address that
///   outlives the closure would dangle.
/// - Not `Sendable`, as its socket is not. Copy out the bytes that another thread needs.
@safe
public struct Message: ~Copyable {
    var content: clibzmq_message

    /// An empty frame, also the start value for ``Socket/receive(into:)``.
    public init() {
        content = clibzmq_message()
        unsafe clibzmq_message_init(&content)
    }

    /// A frame with uninitialized bytes.
    private init(uninitializedByteCount byteCount: Int) {
        content = clibzmq_message()
        let result = unsafe clibzmq_message_init_size(&content, byteCount)
        precondition(result == 0, "out of memory for a frame of \(byteCount) bytes")
    }

    /// A frame with a copy of some bytes: one allocation, none up to 33 bytes.
    public init(copying bytes: RawSpan) {
        self.init(uninitializedByteCount: bytes.byteCount)
        if bytes.byteCount > 0 {
            unsafe bytes.withUnsafeBytes { source in
                // The frame was made with exactly this many bytes.
                unsafe clibzmq_message_mutable_data(&content).copyMemory(
                    from: source.baseAddress!, byteCount: source.count)
            }
        }
    }

    /// A frame with the UTF-8 bytes of a text.
    public init(_ text: String) {
        // `bytes` of a span is unsafe for elements with padding; bytes have none.
        unsafe self.init(copying: text.utf8Span.span.bytes)
    }

    /// A frame of `byteCount` bytes written in place: the cheapest way to make one that is encoded anyway.
    ///
    /// - Precondition: `body` appends exactly `byteCount` bytes; fewer would send old memory to the peer.
    public init<E: Error>(
        byteCount: Int, initializingWith body: (inout OutputRawSpan) throws(E) -> Void
    ) throws(E) {
        self.init(uninitializedByteCount: byteCount)
        // The buffer is the frame's own, of this many bytes, and leaves this scope with the output span only.
        let buffer = unsafe UnsafeMutableRawBufferPointer(
            start: clibzmq_message_mutable_data(&content), count: byteCount)
        var output = unsafe OutputRawSpan(buffer: buffer, initializedCount: 0)
        try body(&output)
        let written = unsafe output.finalize(for: buffer)
        precondition(written == byteCount, "\(written) of \(byteCount) bytes of a frame written")
    }

    deinit {
        var content = content
        unsafe clibzmq_message_close(&content)
    }

    /// A second frame that shares the bytes. From then on both are read-only.
    ///
    /// - Complexity: O(1); up to 33 bytes are copied, more are counted by reference.
    public mutating func duplicate() -> Message {
        var other = Message()
        let result = unsafe clibzmq_message_copy(&other.content, &content)
        precondition(result == 0, "a frame that was never initialized")
        return other
    }
}

@available(*, unavailable, message: "copy out the bytes that another thread needs")
extension Message: Sendable {}

extension Message {
    /// The number of bytes.
    public var byteCount: Int {
        unsafe withUnsafePointer(to: self) { unsafe $0.lent.count }
    }

    /// Whether another frame of the same message follows.
    public var hasMore: Bool {
        unsafe withUnsafePointer(to: self) { unsafe $0.hasMore }
    }

    /// Lends the bytes for the duration of `body`.
    ///
    /// - Complexity: O(1), no copy.
    @inlinable
    public func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // The pointer, to this value or to a temporary with the same content, lives as long as the closure runs. So do
        // the bytes: a message that is borrowed here can neither be sent nor closed.
        try unsafe withUnsafePointer(to: self) { (message) throws(E) -> R in
            try body(unsafe message.lent.bytes)
        }
    }
}

extension UnsafePointer<Message> {
    /// The bytes of a message that does not move while they are read.
    @usableFromInline
    var lent: UnsafeRawBufferPointer {
        // The cast is right, as the struct has `content` as its one stored property.
        let content = unsafe UnsafeRawPointer(self).assumingMemoryBound(to: clibzmq_message.self)
        return unsafe UnsafeRawBufferPointer(
            start: clibzmq_message_data(content), count: clibzmq_message_size(content))
    }

    fileprivate var hasMore: Bool {
        unsafe clibzmq_message_more(UnsafeRawPointer(self).assumingMemoryBound(to: clibzmq_message.self)) != 0
    }
}
