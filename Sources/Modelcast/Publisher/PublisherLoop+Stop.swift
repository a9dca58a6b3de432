import Logging
import ModelSync

/// The end of a publisher.
extension PublisherLoop {
    /// Sends what is open and the word that this origin stops, and waits some seconds for the disk.
    mutating func finish() throws {
        let now = Clocks.now()
        let (actions, incarnation) = publisher.core.withLock { core in
            core.stream = nil
            core.origin.stop(now: now)
            core.noteForStore(now: now)
            return (core.origin.takeActions(), core.origin.incarnation)
        }
        keep(incarnation)
        try send(actions)
        try drain(now: now)
    }

    /// At the end: what still waits for the disk gets some seconds.
    private func drain(now: Moment) throws {
        guard let outbox, !outbox.isEmpty else { return }
        let messages: [DurableOutbox.Message]
        do {
            messages = try outbox.drain(now: now)
        } catch {
            return publisher.logger.error("the last batches were neither stored nor sent: \(error)")
        }
        try send(messages)
    }
}
