/// The versions of the protocol that a process speaks: a range, so that versions that follow each other work together
/// while a deployment is brought from one to the next (protocol article, section 5, "Versions").
public struct ProtocolVersions: Hashable, Sendable {
    /// The oldest version that is spoken.
    public let oldest: UInt64
    /// The newest version that is spoken. `hello` asks for it first.
    public let newest: UInt64

    /// The versions of this release.
    public static let current = ProtocolVersions(1...1)

    /// Makes a range of versions.
    public init(_ range: ClosedRange<UInt64>) { (oldest, newest) = (range.lowerBound, range.upperBound) }

    /// The version in which a `hello` is answered: the newest that both sides speak.
    /// - Parameter asked: the newest version that the other side speaks.
    /// - Returns: nil where there is none, as the other side is too old.
    public func answer(to asked: UInt64) -> UInt64? { asked < oldest ? nil : min(asked, newest) }

    /// Whether a welcome in `version` may be taken where `asked` was asked for.
    public func takes(_ version: UInt64, asked: UInt64) -> Bool { version >= oldest && version <= asked }

    /// The version to ask for next where a sender has refused one. A sender of a release before this rule refuses
    /// every version but its own.
    /// - Returns: nil where none is left.
    public func next(after refused: UInt64) -> UInt64? { refused > oldest ? refused - 1 : nil }

    /// The range as messages to a person have it: `1`, or `1 to 2`.
    public var text: String { oldest == newest ? "\(newest)" : "\(oldest) to \(newest)" }
}
