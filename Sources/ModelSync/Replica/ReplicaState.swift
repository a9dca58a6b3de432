/// The state of a replica towards one sender (protocol article, section 6).
public enum ReplicaState: String, Sendable, CaseIterable {
    /// The control connection is being opened, or `hello` has no answer yet.
    case connecting
    /// `welcome` has come; the barrier or the snapshot has not.
    case syncing
    /// Everything that the sender has sent has been applied.
    case live
    /// A hole was found and is being mended. Reads go on.
    case repairing
    /// Contact with a sender that was live is lost: it was silent for too long, has stopped, or its connection broke.
    /// Reads go on.
    case stale
}
