/// The bytes of one message, with a call when libzmq no longer needs them: it has handed them to the system, or dropped
/// them with a connection.
public final class HeldMessage: Sendable {
    /// The bytes.
    public let bytes: [UInt8]
    private let onRelease: @Sendable (_ byteCount: Int) -> Void

    /// - Parameter onRelease: runs once, on any thread, also where the message was never sent. It must hold no
    ///   ``Context`` and no ``Socket``.
    public init(_ bytes: [UInt8], onRelease: @escaping @Sendable (_ byteCount: Int) -> Void) {
        (self.bytes, self.onRelease) = (bytes, onRelease)
    }

    /// A frame that sends the bytes in place. Up to 33 bytes fit into the frame itself and are copied: they take no
    /// memory beside their place in the queue, which is bounded.
    public func message() -> Message {
        if bytes.count <= HeldMessage.inlineByteCount {
            return Message(byteCount: bytes.count) { output in
                for byte in bytes { output.append(byte) }
            }
        }
        // The array never changes, so its storage neither moves nor is written while this lives.
        return unsafe Message(adopting: bytes.withUnsafeBytes { unsafe $0 }, owner: self)
    }

    /// The greatest number of bytes that libzmq keeps inside a frame.
    private static let inlineByteCount = 33

    deinit { onRelease(bytes.count) }
}
