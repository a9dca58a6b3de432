import Logging
import ModelSync

/// The end of a publisher's socket thread.
extension PublisherLoop {
    /// Sends the open batches and `bye`, and waits some seconds for the disk.
    mutating func finish() throws {
        let now = clock.now()
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

    /// Waits some seconds for the messages that wait for the disk, and sends them.
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
