import ModelSync
import Modelcast

/// What a subscriber has said of its state in the course of a play.
///
/// A batch is merged when it comes, whatever was lost before it (protocol article, section 6). So a copy shows the
/// states of its publisher only while nothing is missing, and otherwise some of the writes without some before them.
struct ContactLog: Sendable {
    /// What it said at one moment.
    struct Entry: Sendable {
        let interval: Interval
        let isLive: Bool
        /// Greater whenever something may have been missed since: a contact was lost or begun, or a hole was found.
        let breakCount: UInt64
    }

    /// In the order of their intervals, which do not overlap.
    private var entries: [Entry] = []

    mutating func note(_ entry: Entry) { entries.append(entry) }

    /// Whether something may have been missing then: between when it was live last and afterwards there was a break.
    ///
    /// A lost contact is told before anything comes by the next one, so none escapes. The sender's own goodbye is no
    /// break: in these plays nothing comes after it.
    func mayLack(_ interval: Interval) -> Bool {
        guard let before = entries.last(where: { $0.isLive && $0.interval.responded < interval.invoked }),
            let after = entries.first(where: { $0.interval.invoked > interval.responded })
        else { return true }
        return before.breakCount != after.breakCount
    }
}

extension ContactLog.Entry {
    /// What `subscriber` says now.
    init(_ subscriber: Subscriber, _ clock: HistoryClock) {
        let invoked = clock.tick()
        let status = subscriber.status
        let counters = status.counters
        self.init(
            interval: Interval(invoked: invoked, responded: clock.tick()), isLive: status.isLive,
            breakCount: counters[.senderTimeouts] + counters[.snapshotsRequested] + counters[.holesFound]
                + counters[.holesFilled])
    }
}
