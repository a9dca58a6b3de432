/// A write to one model, as the caller means it.
public enum Write: Sendable {
    /// Set these fields, say nothing of the others. Only those that differ travel.
    case merge
    /// Make these the model's only fields by a replace: all others, by whomever, go.
    case replace
    /// Make these the model's only fields by sending the difference: what is gone becomes unknown. Once that has left
    /// too many removed fields behind, by a replace, which drops them.
    case assign
    /// Delete the model.
    case delete
}
