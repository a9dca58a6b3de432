/// How a hole was found.
public enum Finding: String, Sendable, CaseIterable {
    case batchBeyondNext = "batch beyond the next"
    case headBeyondApplied = "head beyond the applied"
    case newIncarnation = "new incarnation"
    case digest = "digest differs"
    case clock = "batch from the future"
    case transaction = "transaction not whole"
    case claim = "others tell less than one has claimed"

    /// Sequences are missing, which a replay can bring.
    var isMissingSequences: Bool {
        self == .batchBeyondNext || self == .headBeyondApplied || self == .clock
    }
}
