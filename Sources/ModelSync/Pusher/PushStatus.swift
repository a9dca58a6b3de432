/// How things stand with one relay.
public struct PushStatus: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        /// The connection is being opened.
        case connecting
        /// Batches go out as acknowledgements come.
        case pushing
        /// After a failure, until the pause is over.
        case pausing
        /// The relay refuses for good, or has lost what it had acknowledged: nothing more is sent to it.
        case failed(String)
    }

    public let state: State
    /// Batches that this relay has not acknowledged.
    public let unacknowledged: Int
    public let acknowledged: UInt64
    /// Batches that were sent more than once.
    public let resent: UInt64
    /// All that earlier starts of the publisher have written is there, or among the unacknowledged batches.
    public let isCompared: Bool
    public let lastError: String?
}
