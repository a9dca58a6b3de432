/// What a checker of a simulation found.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    public let seed: UInt64
    /// When, since the simulation began.
    public let microseconds: UInt64
    /// Where; nil where it is about several nodes.
    public let node: String?
    public let what: String

    public init(seed: UInt64, microseconds: UInt64, node: String?, what: String) {
        self.seed = seed
        self.microseconds = microseconds
        self.node = node
        self.what = what
    }

    public var description: String {
        "seed \(seed), \(Story.format(microseconds)) ms\(node.map { ", \($0)" } ?? ""): \(what)"
    }

    /// What somebody must know who is to look into the failure of a ``Scenario``, in three lines: what was found, in
    /// which commit, and the command that tells its story, in a checkout of that commit.
    /// - Parameters:
    ///   - commit: of the build; nil where nobody has told it.
    ///   - options: of `modelcast-simulate`, without which the seed is another scenario; each with a space behind it.
    public func report(commit: String?, options: String = "") -> String {
        """
        FAILED: \(self)
        commit: \(commit ?? "not told")
        again:  Scripts/soak --seed \(seed) \(options)--trace
        """
    }
}
