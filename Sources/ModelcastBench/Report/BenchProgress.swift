/// The progress of a measurement, for a person who waits.
public struct BenchProgress: Hashable, Sendable {
    /// The scenario that is measured now.
    public var scenario: BenchScenario
    /// The number of the scenario in this run, from 1.
    public var number: Int
    /// How many scenarios the run has.
    public var count: Int
    /// The present step of the scenario, such as "10,000/s · round 1 of 3".
    public var text: String

    /// The progress of a scenario.
    public init(_ scenario: BenchScenario, _ number: Int, of count: Int, _ text: String) {
        (self.scenario, self.number, self.count, self.text) = (scenario, number, count, text)
    }

    /// One line for a log.
    public var line: String { "\(scenario.rawValue): \(text)" }
}
