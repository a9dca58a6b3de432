/// A message that a publisher sent: when, and how large its two frames were.
public struct SentFrame: Codable, Hashable, Sendable {
    /// Since the load began.
    var microseconds: Int
    var topicByteCount: Int
    var payloadByteCount: Int
}

extension SentFrame {
    /// Says when each message left: at the beginning of the step in which the last of its updates was written, those of
    /// a step in a row.
    ///
    /// Not when it came: where many processes share few cores, whoever receives runs late, and gets several at once.
    /// - Throws: when the messages hold not as many updates as were sent, as one of them is missing then.
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
