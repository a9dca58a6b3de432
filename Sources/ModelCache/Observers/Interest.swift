/// What an observer wants to hear of.
public enum Interest: Sendable, Hashable {
    /// One model, which need not exist yet.
    case model(type: String, id: String)
    /// All models of a type.
    case type(String)
    /// All models of all types.
    case everything
}

extension Interest {
    /// The type that it is about; nil for everything.
    var type: String? {
        switch self {
        case .model(let type, _), .type(let type): type
        case .everything: nil
        }
    }
}
