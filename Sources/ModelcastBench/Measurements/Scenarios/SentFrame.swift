/// A message that a publisher sent: its time, and the sizes of its two frames.
public struct SentFrame: Codable, Hashable, Sendable {
    /// The time since the load began.
    var microseconds: Int
    var topicByteCount: Int
    var payloadByteCount: Int
}

extension SentFrame {
    /// Gives each recorded message the time at which it left: the beginning of the step in which the last of its
    /// updates was written. All messages of a step leave in a row.
    ///
    /// The times of arrival would be wrong: where many processes share few cores, a receiver runs late and gets several
    /// messages at once.
    /// - Throws: ``BenchError`` when the messages do not have as many updates as were sent: one of them is missing
    ///   then.
    static func sent(_ recorded: [RecordedFrame], in steps: [BenchReply.Steady.Step]) throws -> [SentFrame] {
        let (held, sent) = (recorded.reduce(0) { $0 + $1.updateCount }, steps.last?.sentCount ?? 0)
        guard held == sent else {
            throw BenchError("the recorder got \(held) updates of \(sent) that were sent")
        }
        var (step, updates) = (0, 0)
        return recorded.map { frame in
            updates += frame.updateCount
            while step < steps.count - 1, steps[step].sentCount < updates { step += 1 }
            return SentFrame(
                microseconds: steps.isEmpty ? 0 : steps[step].microseconds, topicByteCount: frame.topicByteCount,
                payloadByteCount: frame.payloadByteCount)
        }
    }
}
