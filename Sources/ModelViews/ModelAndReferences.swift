public import ModelTypes

/// A model and the models that it refers to, all of one cut.
public struct ModelAndReferences<M: Model, Other: Model>: Hashable, Sendable {
    /// The id of the model that has the references.
    public let id: M.ID
    /// The newest model that could be made; nil when it does not exist, or no model could ever be made of it.
    public let model: M?
    /// The models that it refers to and that exist, in the order of its references.
    public let references: [Other]
}
