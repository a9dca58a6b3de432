/// The bytes of one message, and word of when nobody needs them any more: libzmq has handed them to the system, or
/// thrown them away with a connection.
public final class HeldMessage: Sendable {
    private let bytes: [UInt8]
    private let onRelease: @Sendable (_ byteCount: Int) -> Void

    /// - Parameter onRelease: runs once, on any thread, also where the message was never sent. It must hold no
    ///   ``Context`` and no ``Socket``.
    public init(_ bytes: [UInt8], onRelease: @escaping @Sendable (_ byteCount: Int) -> Void) {
        (self.bytes, self.onRelease) = (bytes, onRelease)
    }

    /// A frame that sends the bytes from where they are. The few that fit into the frame itself are copied: they take
    /// nothing beside the place in its queue, which is bounded.
    public func message() -> Message {
        if bytes.count <= HeldMessage.inlineByteCount {
            return Message(byteCount: bytes.count) { output in
                for byte in bytes { output.append(byte) }
            }
        }
        // The array never changes, so its storage neither moves nor is written while this lives.
        return unsafe Message(adopting: bytes.withUnsafeBytes { unsafe $0 }, owner: self)
    }

    /// What libzmq keeps inside a frame.
    private static let inlineByteCount = 33

    deinit { onRelease(bytes.count) }
}
