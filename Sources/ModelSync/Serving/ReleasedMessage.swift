/// A message of an answer that is no longer in memory: the system has taken it, or its connection is gone.
public struct ReleasedMessage: Sendable {
    /// The routing identity of the peer that the message was for.
    public let peer: [UInt8]
    /// The bytes of the message.
    public let byteCount: Int

    /// About how many bytes a message takes in memory beside its own.
    public static let overheadByteCount = 256

    /// The departure of a message of so many bytes.
    public init(peer: [UInt8], byteCount: Int) {
        (self.peer, self.byteCount) = (peer, byteCount)
    }
}
