/// A message of an answer that is no longer in memory: the system has taken it, or its connection is gone.
public struct Departure: Sendable {
    public let peer: [UInt8]
    /// The bytes of the message.
    public let byteCount: Int

    /// What a message takes in memory beside its bytes, about.
    public static let overheadByteCount = 256

    public init(peer: [UInt8], byteCount: Int) {
        (self.peer, self.byteCount) = (peer, byteCount)
    }
}
