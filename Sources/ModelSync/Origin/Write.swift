/// A write to one model, as the caller means it.
public enum Write: Sendable {
    /// Set these fields, and leave the others alone. Only fields that differ travel.
    case merge
    /// Make these the only fields of the model by a replace. All others go, whichever origin wrote them.
    case replace
    /// Make these the only fields of the model by sending the difference: the others become unknown. Where that would
    /// leave too many removed fields behind, a replace is sent instead, which drops them.
    case assign
    /// Delete the model.
    case delete
}
