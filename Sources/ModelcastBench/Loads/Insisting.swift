import Modelcast

extension Publisher {
    /// Makes a write, and repeats it while the outbox is full.
    /// - Returns: the outcome of the write, and how often the outbox was full.
    @inline(__always)
    func insisting<Outcome>(_ write: () throws -> Outcome) throws -> (outcome: Outcome, retries: Int) {
        var retries = 0
        while true {
            do {
                return (try write(), retries)
            } catch let error as ModelcastError where error.code == .outboxFull {
                retries += 1
                Publisher.letOutboxDrain()
            }
        }
    }

    /// Sleeps for a moment, in which the socket's thread can empty a full outbox.
    static func letOutboxDrain() { MonotonicClock.sleep(until: MonotonicClock.nanoseconds + 50_000) }
}
