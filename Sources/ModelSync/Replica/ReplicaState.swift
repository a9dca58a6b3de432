/// The state of a replica towards one sender (protocol article, section 6).
public enum ReplicaState: String, Sendable, CaseIterable {
    /// Said hello, no welcome yet.
    case connecting
    /// Welcome; waiting for the barrier and the snapshot.
    case syncing
    /// Everything that the sender has sent has been applied.
    case live
    /// A hole was found and is being mended. Reads go on.
    case repairing
    /// Nothing heard from the sender for too long. Reads go on.
    case stale
}
