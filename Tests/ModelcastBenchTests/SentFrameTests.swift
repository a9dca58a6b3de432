import Testing

@testable import ModelcastBench

@Suite struct SentFrameTests {
    typealias Step = BenchReply.Steady.Step

    private static func recorded(_ updateCounts: [Int]) -> [RecordedFrame] {
        updateCounts.map { RecordedFrame(topicByteCount: 10, payloadByteCount: 100 + $0, updateCount: $0) }
    }

    @Test func `a frame left in the step in which the last of its updates was written`() throws {
        let steps = [(10, 3), (1_020, 6), (2_300, 6), (3_000, 9)].map { Step(microseconds: $0.0, sentCount: $0.1) }
        // The third holds updates of two steps; one without any leaves where the updates have come to.
        let frames = try SentFrame.sent(Self.recorded([1, 2, 4, 0, 2]), in: steps)
        #expect(frames.map(\.microseconds) == [10, 10, 3_000, 3_000, 3_000])
        #expect(frames.map(\.payloadByteCount) == [101, 102, 104, 100, 102])
        #expect(frames.allSatisfy { $0.topicByteCount == 10 })
    }

    @Test(arguments: [[1, 2], [2, 2, 2, 1], []]) func `frames that hold not what was sent are refused`(
        _ updateCounts: [Int]
    ) {
        let steps = [Step(microseconds: 0, sentCount: 3), Step(microseconds: 1_000, sentCount: 6)]
        #expect {
            try SentFrame.sent(Self.recorded(updateCounts), in: steps)
        } throws: { error in
            "\(error)".contains("of 6 that were sent")
        }
    }

    @Test func `where nothing was sent and nothing came there is nothing to send`() throws {
        #expect(try SentFrame.sent([], in: []).isEmpty)
        #expect(try SentFrame.sent([], in: [Step(microseconds: 0, sentCount: 0)]).isEmpty)
    }
}
