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
    ///   - sabotage: the protection that had been taken away.
    ///   - features: what the option of that name was; nil for the usual ones.
    public func report(commit: String?, sabotage: Sabotage? = nil, features: String? = nil) -> String {
        let option =
            (sabotage.map { " --sabotage \($0.rawValue)" } ?? "") + (features.map { " --features \($0)" } ?? "")
        return """
            FAILED: \(self)
            commit: \(commit ?? "not told")
            again:  Scripts/soak --seed \(seed)\(option) --trace
            """
    }
}
