import Logging
import ModelStore
import ModelSync

/// The store, as the socket thread serves it.
extension PublisherLoop {
    /// Hands batches to the store, sends those that are on disk, and tells writers whether the store works.
    mutating func keep(now: Moment) throws {
        guard let store = publisher.store else { return }
        let letters = store.mail.take()
        for event in letters.events { handle(event, now: now) }
        for (token, error) in letters.completions { outbox?.settle(token, error, now: now) }
        // Batches are noted only now, when the store has all records of earlier ones.
        storeProgress.pruner.step(store.behind) { _ in .max }
        if let outbox {
            outbox.commit(now: now) { storeProgress.pruner.note($0) }
            try send(outbox.takeReady())
        }
        let failure = publisher.configuration.durability == .none ? nil : outbox?.failure ?? storeProgress.failure
        let held = outbox?.byteCount ?? 0
        // Most of the time nothing has changed, and the lock is the writers'.
        guard storeProgress.tells(failure, heldByteCount: held) else { return }
        publisher.core.withLock { core in
            core.storeFailure = failure
            core.heldByteCount = held
        }
    }

    /// Flushes the store after a later start of the origin: before the batches of that start leave, where they wait for
    /// the disk, otherwise beside them.
    mutating func keep(_ incarnation: UInt64) {
        guard let store = publisher.store, storeProgress.begins(incarnation) else { return }
        if let outbox { outbox.flushFirst() } else { store.behind.flush { _ in } }
    }

    private mutating func handle(_ event: StoreEvent, now: Moment) {
        publisher.logger.log(event)
        switch event {
        case .degraded(let error): storeProgress.failure = error
        case .recovered:
            storeProgress.failure = nil
            outbox?.retry()
        case .replaced: publisher.core.withLock { $0.keeper?.noteEverything($0.origin, now: now) }
        }
    }
}
