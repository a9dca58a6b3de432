import Modelcast

extension Publisher {
    /// Makes a write, again where the outbox is full.
    /// - Returns: what became of it, and how often the outbox was full.
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

    /// The outbox is full: gives the socket's thread a moment.
    static func letOutboxDrain() { MonotonicClock.sleep(until: MonotonicClock.nanoseconds + 50_000) }
}
