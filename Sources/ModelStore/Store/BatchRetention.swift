/// The limits of the stored ring of batches. The oldest batches go first, whatever their topic.
public struct BatchRetention: Hashable, Sendable {
    /// The greatest sum of the payloads, in bytes.
    public var byteCountMax: Int
    /// Batches that were written before this moment are removed. Unix milliseconds.
    public var writtenSinceMilliseconds: UInt64

    /// Makes limits; by default without one for the age.
    public init(byteCountMax: Int, writtenSinceMilliseconds: UInt64 = 0) {
        self.byteCountMax = byteCountMax
        self.writtenSinceMilliseconds = writtenSinceMilliseconds
    }
}
