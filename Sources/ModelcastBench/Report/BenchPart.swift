/// What one scenario has measured.
public struct BenchPart: Codable, Hashable, Sendable {
    public var scenario: BenchScenario
    /// In the order of the table.
    public var figures: [BenchFigure] = []
    /// Figures that the table leaves out.
    public var details: [BenchFigure] = []
    public var curves: [BenchCurve] = []
    /// Sentences that stand below the table.
    public var notes: [String] = []
    /// How many copies were compared, all of them equal: a scenario whose copies differ has no figures.
    public var equalCopies = 0

    public init(_ scenario: BenchScenario) { self.scenario = scenario }
}
