/// The events that the owner of a store must handle.
public enum StoreEvent: Sendable, Hashable {
    /// Writing has begun to fail.
    case degraded(StoreError)
    /// Writing works again, and all changes that were kept back are in the file. The number is that of the failed
    /// attempts.
    case recovered(failures: Int)
    /// The file was damaged, or was taken away while in use. A new file has taken its place, and holds only what was
    /// noted since the last flush. The owner has to note everything anew: all records, heads and facts, and with the
    /// last of them that the file is not partial any more (``StoreFacts/isPartial``). Commits are refused until that is
    /// in the file.
    case replaced(OpenReport)
}
