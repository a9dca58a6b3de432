/// The promise of a publisher's store about the writes.
public enum Durability: String, Sendable, CaseIterable {
    /// Batches leave at once, and the store is written behind: a crash may lose the writes of the last second.
    case none
    /// A batch is on disk before it leaves. So after a crash the publisher still has everything that it has sent to
    /// subscribers.
    ///
    /// Answers to subscribers, snapshots above all, wait until the disk has what they show. While the disk refuses, no
    /// batch leaves and writes are refused with a reason; it recovers by itself. Only meanwhile requests are answered
    /// from memory, and answers may show the last writes before they are on disk.
    case beforeSend
    /// Batches leave at once. ``Publisher/waitUntilDurable()`` waits until everything that was written before is on
    /// disk.
    ///
    /// While the disk refuses, writes are refused with a reason.
    case beforeAcknowledge
}
