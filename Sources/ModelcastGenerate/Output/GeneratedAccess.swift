/// How far generated types can be seen.
public enum GeneratedAccess: String, CaseIterable, Sendable {
    case `internal`, package, `public`

    /// With a space behind it, or nothing.
    var modifier: String { self == .internal ? "" : "\(rawValue) " }
}
