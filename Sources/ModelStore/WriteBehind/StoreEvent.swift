/// What an owner of a store must hear of.
public enum StoreEvent: Sendable, Hashable {
    /// Writing has begun to fail.
    case degraded(StoreError)
    /// Writing works again and all that was kept back is in the file, after so many attempts that failed.
    case recovered(failures: Int)
    /// The file was damaged, or taken away while in use; there is a new one that holds only what was noted since the
    /// last flush. Note everything anew: all records, heads and facts, and with the last of it that it is not partial
    /// any more (``StoreFacts/isPartial``). Commits are refused until that is in the file.
    case replaced(OpenReport)
}
