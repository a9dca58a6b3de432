/// How a hole was mended.
public enum Mending: String, Sendable, CaseIterable {
    /// The missing batches came by themselves.
    case filled
    /// The missing batches were sent again.
    case replay
    /// The topic was taken anew from a sender's copy.
    case snapshot
    /// A batch stayed malformed: it was left out, and the topic was taken from a sender's copy.
    case quarantine
    /// The buckets that differed were taken from a sender's copy.
    case buckets
    /// The state was built anew beside the old one.
    case anew
    /// The repair or audit was ended by something that takes in more: a later start of the origin, a snapshot of more,
    /// or a comparison with a sender that answers.
    case superseded
}
