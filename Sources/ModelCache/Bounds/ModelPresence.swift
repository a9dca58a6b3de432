/// Whether a copy holds a model.
public enum ModelPresence: String, Hashable, Sendable, CaseIterable {
    /// The copy holds it.
    case here
    /// The model has left the copy for its limits, and may have changed or been deleted since; or the copy takes only
    /// what is asked for, and nobody has asked. A fetch tells.
    case evicted
    /// The model does not exist, as far as this copy has been told.
    case absent
}
