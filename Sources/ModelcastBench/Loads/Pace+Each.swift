extension Pace {
    /// Calls `body` for each of `count` calls when it is due, with the time at which it is; late ones at once.
    func forEachDue(_ count: Int, _ body: (UInt64) throws -> Void) rethrows {
        MonotonicClock.sharpenSleep()
        for index in 0..<count {
            let due = due(index)
            MonotonicClock.sleep(until: due)
            try body(due)
        }
    }
}
