extension Pace {
    /// Calls `body` `count` times, each when it is due, with the time at which it is due. Late calls are made at once.
    func forEachDue(_ count: Int, _ body: (UInt64) throws -> Void) rethrows {
        MonotonicClock.sharpenSleep()
        for index in 0..<count {
            let due = due(index)
            MonotonicClock.sleep(until: due)
            try body(due)
        }
    }
}
