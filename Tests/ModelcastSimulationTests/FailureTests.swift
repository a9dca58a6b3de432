import ModelcastSimulation
import Testing

/// What is printed when a seed fails.
@Suite struct FailureTests {
    private let failure = SimulationFailure(seed: 4711, microseconds: 1_234_567, node: "relay-0", what: "it is broken")

    @Test func `a failure tells the seed, the commit and a command that works in a checkout`() {
        #expect(
            failure.report(commit: "abc1234") == """
                FAILED: seed 4711,   1234.567 ms, relay-0: it is broken
                commit: abc1234
                again:  Scripts/soak --seed 4711 --trace
                """)
    }

    @Test func `the command takes the same protection away`() {
        let report = failure.report(commit: nil, options: "--sabotage floor --features jobs ")
        let command = "Scripts/soak --seed 4711 --sabotage floor --features jobs --trace"
        #expect(report.hasSuffix("commit: not told\nagain:  \(command)"))
    }
}
