/// What a publisher's store promises of what is written.
public enum Durability: String, Sendable, CaseIterable {
    /// Written behind: a crash may lose what was written in the last second.
    case none
    /// A batch is on disk before it leaves: what subscribers were sent, this publisher still has after a crash.
    ///
    /// What a subscriber asks for, a snapshot above all, waits for what it shows to be on disk, too. While the disk
    /// refuses, nothing new leaves, and writes are refused with a reason; it goes on by itself. Only then are requests
    /// answered from memory, and may show the last writes, which are not on disk yet.
    case beforeSend
    /// Batches leave at once; ``Publisher/waitUntilDurable()`` tells when all that was written before is on disk.
    ///
    /// While the disk refuses, writes are refused with a reason.
    case beforeAcknowledge
}
