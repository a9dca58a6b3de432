import ModelWire

/// Barriers that are answered together. Each answer lists the heads of everything, so a peer that subscribes to a
/// thousand barriers is to cost no more than one with a single barrier.
///
/// The first barrier is answered at once. Those that come within 20 ms after that are put off, and answered together
/// then; where the answer has many heads within 10 µs more for each, so that making answers takes a part of the time
/// only.
struct WaitingBarriers: Sendable {
    private var topics: [Topic] = []
    private var nextTime: UInt64 = 0

    private static let pauseMicroseconds: UInt64 = 20_000
    private static let headMicroseconds: UInt64 = 10
    /// How many barriers wait. A peer whose barrier finds no room raises another one after two seconds.
    private static let countMax = 16_384

    mutating func append(_ topic: Topic) {
        guard topics.count < WaitingBarriers.countMax else { return }
        topics.append(topic)
    }

    /// The barriers that are to be answered now.
    mutating func take(now: UInt64) -> [Topic] {
        guard !topics.isEmpty, now >= nextTime else { return [] }
        nextTime = now + WaitingBarriers.pauseMicroseconds
        defer { topics = [] }
        return topics
    }

    /// Takes note of how many heads the answer had.
    mutating func noteAnswer(headCount: Int) { nextTime += UInt64(headCount) * WaitingBarriers.headMicroseconds }

    /// When the waiting barriers are to be answered; nil where none waits.
    var dueAt: UInt64? { topics.isEmpty ? nil : nextTime }
}
