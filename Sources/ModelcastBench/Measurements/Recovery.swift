/// A subscriber that was stopped, and what it cost the others.
struct Recovery {
    /// Updates a second that were published, in a window of the same load before, and during the stop.
    var publishedPerSecondBefore = 0.0
    var publishedPerSecond = 0.0
    /// Processor time that the publisher spent on one update, before and during.
    var publisherNanosecondsBefore = 0.0
    var publisherNanoseconds = 0.0
    /// The longest that a step of the load came late, in milliseconds, before and during.
    var latestMillisecondsBefore = 0.0
    var latestMilliseconds = 0.0
    /// How often the publisher's outbox was full during the stop.
    var backPressured = 0
    /// How much the publisher's resident memory grew at most while the subscriber was stopped, and what may wait
    /// for a subscriber.
    var publisherGrownByteCount = 0
    var queueByteCount = 0
    /// What the publisher sent meanwhile, about, in bytes.
    var sentByteCount = 0
    /// Holes of the subscriber that was not stopped.
    var otherHoles: UInt64 = 0
    /// How far behind it was when the stop ended, in seconds.
    var otherLagSeconds = 0.0
    /// From going on until the subscriber is live and holds all that had been published by then; the load goes on.
    var seconds = 0.0
    /// What the stopped subscriber counted from the stop to the end, by name.
    var counters: [String: UInt64] = [:]

    func figures(_ plan: BenchPlan) -> [BenchFigure] {
        let mebibytes = { (byteCount: Int) in Double(byteCount) / 1_048_576 }
        var figures = [
            BenchFigure(
                "recovery after a stop of \(Figures.fixed(plan.stopSeconds, 1)) s at "
                    + "\(Figures.grouped(plan.stopRate))/s", seconds, .seconds),
            BenchFigure(
                "the publisher's memory grew by", mebibytes(publisherGrownByteCount), .mebibytes,
                against: "what may wait", mebibytes(queueByteCount)),
            BenchFigure("on the wire meanwhile", mebibytes(sentByteCount), .mebibytes),
            BenchFigure(
                "published during the stop", publishedPerSecond, .perSecond, against: "before",
                publishedPerSecondBefore),
            BenchFigure(
                "processor time an update, publisher, during the stop", publisherNanoseconds, .nanoseconds,
                against: "before", publisherNanosecondsBefore),
            BenchFigure(
                "the longest that the load came late", latestMilliseconds / 1000, .seconds, against: "before",
                latestMillisecondsBefore / 1000),
            BenchFigure("outbox full during the stop", Double(backPressured), .count),
            BenchFigure("holes of the other subscriber", Double(otherHoles), .count),
            BenchFigure("how far behind that was at the end", otherLagSeconds, .seconds),
        ]
        for (name, value) in counters.sorted(by: { $0.key < $1.key }) {
            let isOfRepair = ["holes", "snapshot", "replay", "sender_timeouts", "buckets"].contains {
                name.contains($0)
            }
            if isOfRepair { figures.append(BenchFigure("the stopped one counted \(name)", Double(value), .count)) }
        }
        return figures
    }
}
