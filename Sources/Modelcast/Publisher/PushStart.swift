import ModelSync

/// The next try at relays that were given up, after a pause that grows with each.
struct PushStart {
    /// When the next try begins; nil where none waits.
    private var dueAt: UInt64?
    private var pause = PushStart.pauses.first

    /// The pauses, in microseconds.
    private static let pauses: (first: UInt64, max: UInt64) = (1_000_000, 60_000_000)

    /// Returns whether the pause is over, and begins the next one; the first call begins the pause.
    mutating func isDue(now: Moment) -> Bool {
        guard let dueAt else {
            dueAt = now.uptimeMicroseconds + pause
            return false
        }
        guard now.uptimeMicroseconds >= dueAt else { return false }
        self.dueAt = nil
        pause = min(pause * 2, PushStart.pauses.max)
        return true
    }
}
