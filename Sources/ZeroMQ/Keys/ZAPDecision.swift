/// The decision on a client that wanted to connect.
public enum ZAPDecision: Hashable, Sendable {
    /// The client has this key, which is among the allowed ones.
    case allowed(Curve.PublicKey)
    /// The client has no key, and none is asked for.
    case allowedWithoutKey
    /// The client has this key, which is not among the allowed ones.
    case refused(Curve.PublicKey)
    /// The request was not about a client of the handler's domain and mechanism. The client was refused.
    case malformed
}
