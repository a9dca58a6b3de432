/// How far generated types can be seen.
public enum GeneratedAccess: String, CaseIterable, Sendable {
    case `internal`, package, `public`

    /// The modifier with a space behind it; empty for `internal`.
    var modifier: String { self == .internal ? "" : "\(rawValue) " }
}
