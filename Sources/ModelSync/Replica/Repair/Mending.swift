/// How a hole was mended.
public enum Mending: String, Sendable, CaseIterable {
    /// What was missing came by itself.
    case filled
    /// What was missing was sent again.
    case replay
    /// The topic was taken anew from a sender's copy.
    case snapshot
    /// A batch stayed malformed: it was left out, and the topic was taken from a sender's copy.
    case quarantine
    /// The buckets that differed were taken from a sender's copy.
    case buckets
    /// The state was built anew beside the old one.
    case anew
    /// Nobody looks into it by itself any more: its origin has started anew, or a snapshot of more, or a comparison
    /// with a sender that answers, takes its place.
    case superseded
}
