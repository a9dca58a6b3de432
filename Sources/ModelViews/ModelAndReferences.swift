public import ModelTypes

/// A model and those that it refers to, as they are in one cut.
public struct ModelAndReferences<M: Model, Other: Model>: Hashable, Sendable {
    /// The id of the model that refers to the others.
    public let id: M.ID
    /// Nil where it does not exist, or cannot be made and never could.
    public let model: M?
    /// Those that it refers to and that exist, in the order of its references.
    public let references: [Other]
}
