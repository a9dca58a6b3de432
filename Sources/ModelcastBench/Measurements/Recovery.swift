/// The recovery of a subscriber that was stopped, and the cost of the stop for the other processes.
struct Recovery {
    /// Updates published a second, in a window of the same load before the stop, and during it.
    var publishedPerSecondBefore = 0.0
    var publishedPerSecond = 0.0
    /// The processor time that the publisher spent on one update, before the stop and during it.
    var publisherNanosecondsBefore = 0.0
    var publisherNanoseconds = 0.0
    /// The longest that a step of the load came late, in milliseconds, before the stop and during it.
    var latestMillisecondsBefore = 0.0
    var latestMilliseconds = 0.0
    /// How often the publisher's outbox was full during the stop.
    var backPressured = 0
    /// How much the publisher's resident memory grew at most while the subscriber was stopped, and how many bytes may
    /// wait for a subscriber.
    var publisherGrownByteCount = 0
    var queueByteCount = 0
    /// About how many bytes the publisher sent meanwhile.
    var sentByteCount = 0
    /// How many holes the subscriber had that was not stopped.
    var otherHoles: UInt64 = 0
    /// How far behind that subscriber was when the stop ended, in seconds.
    var otherLagSeconds = 0.0
    /// The time from the end of the stop until the subscriber is live and holds all that had been published by then.
    /// The load goes on meanwhile.
    var seconds = 0.0
    /// The counters of the stopped subscriber from the stop to the end, by name.
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
