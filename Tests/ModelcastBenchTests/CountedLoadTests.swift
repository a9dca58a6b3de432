import Testing

@testable import ModelcastBench

/// What Scripts/counts runs.
@Suite(.timeLimit(.minutes(15))) struct CountedLoadTests {
    @Test(arguments: CountedPart.allCases) func `each part does its work and finds the copies equal`(
        part: CountedPart
    ) async throws {
        // It blocks its thread, which must be none of the tasks'.
        let report = try await Blocking.run(named: "count") {
            var load = try CountedLoad(part, updates: 512)
            return try load.run()
        }
        #expect(report.updates == 512)
    }

    @Test func `frames are the same in every run, and larger when each update has its own`() throws {
        func bytes(_ part: CountedPart) throws -> Int {
            var load = try CountedLoad(part, updates: 512)
            return try load.run().wireBytes
        }
        let together = try bytes(.origin)
        #expect(together > 512 * 40)
        #expect(try bytes(.origin) == together)
        #expect(try bytes(.apply) == together)
        #expect(try bytes(.originBatch) == together)
        #expect(try bytes(.originAlone) > together)
    }

    @Test func `a number of updates that fills no whole frames is refused`() {
        for updates in [0, -256, 100] {
            #expect(throws: BenchError.self) { try CountedLoad(.read, updates: updates) }
        }
    }
}
