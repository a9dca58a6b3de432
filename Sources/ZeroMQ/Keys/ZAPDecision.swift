/// What became of a client that wanted to come in.
public enum ZAPDecision: Hashable, Sendable {
    case allowed(Curve.PublicKey)
    /// It has no key, and none is asked for.
    case allowedWithoutKey
    /// Its key is not among those that are allowed.
    case refused(Curve.PublicKey)
    /// The question was none about a client of the handler's domain and mechanism; nobody came in.
    case malformed
}
