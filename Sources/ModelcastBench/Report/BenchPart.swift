/// The results of one scenario.
public struct BenchPart: Codable, Hashable, Sendable {
    /// The scenario that was measured.
    public var scenario: BenchScenario
    /// The figures in the order of the table.
    public var figures: [BenchFigure] = []
    /// Figures that the table leaves out.
    public var details: [BenchFigure] = []
    /// The curves of the charts.
    public var curves: [BenchCurve] = []
    /// Sentences that stand below the table.
    public var notes: [String] = []
    /// How many copies were compared, all of them equal: a scenario whose copies differ has no figures.
    public var equalCopies = 0

    /// A part without results.
    public init(_ scenario: BenchScenario) { self.scenario = scenario }
}
