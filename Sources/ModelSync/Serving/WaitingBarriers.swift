import ModelWire

/// Barriers that are answered together: each answer lists the heads of everything, and whoever subscribes to a thousand
/// barriers is to cost no more than one.
///
/// The first is answered at once. What comes within 20 ms after that has its answer then: it is put off and not lost.
struct WaitingBarriers: Sendable {
    private var topics: [Topic] = []
    private var nextTime: UInt64 = 0

    private static let pauseMicroseconds: UInt64 = 20_000
    /// Whoever is not among so many asks with another one after two seconds.
    private static let countMax = 16_384

    mutating func append(_ topic: Topic) {
        guard topics.count < WaitingBarriers.countMax else { return }
        topics.append(topic)
    }

    /// Those that are to be answered now.
    mutating func take(now: UInt64) -> [Topic] {
        guard !topics.isEmpty, now >= nextTime else { return [] }
        nextTime = now + WaitingBarriers.pauseMicroseconds
        defer { topics = [] }
        return topics
    }

    /// When some are to be answered; nil where none waits.
    var dueAt: UInt64? { topics.isEmpty ? nil : nextTime }
}
