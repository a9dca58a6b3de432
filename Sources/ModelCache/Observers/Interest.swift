/// The subject of an observation: a model, a type, or everything.
public enum Interest: Sendable, Hashable {
    /// One model, which need not exist yet.
    case model(type: String, id: String)
    /// All models of a type.
    case type(String)
    /// All models of all types.
    case everything
}

extension Interest {
    /// The type of interest; nil for everything.
    var type: String? {
        switch self {
        case .model(let type, _), .type(let type): type
        case .everything: nil
        }
    }
}
