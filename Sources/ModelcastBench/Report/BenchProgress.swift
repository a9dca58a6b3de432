/// Where a measurement is, for a person who waits.
public struct BenchProgress: Hashable, Sendable {
    /// The scenario, the how manieth it is, from 1, and of how many.
    public var scenario: BenchScenario
    public var number: Int
    public var count: Int
    /// What it does now: "10,000/s · round 1 of 3".
    public var text: String

    public init(_ scenario: BenchScenario, _ number: Int, of count: Int, _ text: String) {
        (self.scenario, self.number, self.count, self.text) = (scenario, number, count, text)
    }

    /// For a log.
    public var line: String { "\(scenario.rawValue): \(text)" }
}
