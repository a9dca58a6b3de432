/// The status of pushing to one relay.
public struct PushStatus: Sendable, Hashable {
    /// How far pushing to the relay has come.
    public enum State: Sendable, Hashable {
        /// The connection is being opened.
        case connecting
        /// Batches go out as acknowledgements come.
        case pushing
        /// A failure has occurred; pushing goes on when the pause is over.
        case pausing
        /// The relay refuses for good, or has lost what it had acknowledged: nothing more is sent to it.
        case failed(String)
    }

    /// The state of pushing to the relay.
    public let state: State
    /// How many batches this relay has not acknowledged.
    public let unacknowledged: Int
    /// How many batches this relay has acknowledged.
    public let acknowledged: UInt64
    /// How many times a batch was sent again.
    public let resent: UInt64
    /// Whether all that earlier starts of the publisher have written is at the relay, or among the unacknowledged
    /// batches.
    public let isCompared: Bool
    /// The last failure, in words for a person; nil where there was none.
    public let lastError: String?
}
