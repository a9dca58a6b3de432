/// A fault that a checker of a simulation found.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The seed of the run, which repeats it.
    public let seed: UInt64
    /// The simulated time of the finding, since the simulation began.
    public let microseconds: UInt64
    /// The name of the node; nil where the finding is about no single node.
    public let node: String?
    /// The finding, as a sentence.
    public let what: String

    /// A finding of a checker.
    public init(seed: UInt64, microseconds: UInt64, node: String?, what: String) {
        self.seed = seed
        self.microseconds = microseconds
        self.node = node
        self.what = what
    }

    /// The seed, the simulated time, the node and the finding in one line.
    public var description: String {
        "seed \(seed), \(Story.format(microseconds)) ms\(node.map { ", \($0)" } ?? ""): \(what)"
    }

    /// The failure of a ``Scenario`` for the person who looks into it, in three lines: what was found, in which commit,
    /// and the command that tells the story in a checkout of that commit.
    /// - Parameters:
    ///   - commit: the commit of the build; nil where it is not known.
    ///   - options: the options of `modelcast-simulate` without which the seed is another scenario, each with a space
    ///     behind it.
    public func report(commit: String?, options: String = "") -> String {
        """
        FAILED: \(self)
        commit: \(commit ?? "not told")
        again:  Scripts/soak --seed \(seed) \(options)--trace
        """
    }
}
