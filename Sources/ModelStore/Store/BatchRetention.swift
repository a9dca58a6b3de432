/// How much of the ring of batches is kept; the oldest go first, whatever their topic.
public struct BatchRetention: Hashable, Sendable {
    /// The payloads together take at most so many bytes.
    public var byteCountMax: Int
    /// Batches written before this moment (Unix milliseconds) go.
    public var writtenSinceMilliseconds: UInt64

    public init(byteCountMax: Int, writtenSinceMilliseconds: UInt64 = 0) {
        self.byteCountMax = byteCountMax
        self.writtenSinceMilliseconds = writtenSinceMilliseconds
    }
}
