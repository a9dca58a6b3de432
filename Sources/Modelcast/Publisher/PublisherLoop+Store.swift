import Logging
import ModelStore
import ModelSync

/// The store.
extension PublisherLoop {
    /// Hands batches to the store and sends what is on disk, and tells writers how things stand.
    mutating func keep(now: Moment) throws {
        guard let store = publisher.store else { return }
        let letters = store.mail.take()
        for event in letters.events { handle(event, now: now) }
        for (token, error) in letters.completions { outbox?.settle(token, error, now: now) }
        // Batches are noted only now, when all their records are with the store.
        pruner.step(store.behind) { _ in .max }
        if let outbox {
            outbox.commit(now: now) { pruner.note($0) }
            try send(outbox.takeReady())
        }
        let failure = publisher.configuration.durability == .none ? nil : outbox?.failure ?? storeFailure
        let held = outbox?.byteCount ?? 0
        // Mostly there is nothing to tell, and the lock is the writers'.
        guard failure != nil || toldFailure || held != toldByteCount else { return }
        (toldFailure, toldByteCount) = (failure != nil, held)
        publisher.core.withLock { core in
            core.storeFailure = failure
            core.heldByteCount = held
        }
    }

    /// What the store was told of a later start goes to the disk before the batches of that, or as they are sent.
    mutating func keep(_ incarnation: UInt64) {
        guard incarnation != keptIncarnation, let store = publisher.store else { return }
        keptIncarnation = incarnation
        if let outbox { outbox.flushFirst() } else { store.behind.flush { _ in } }
    }

    private mutating func handle(_ event: StoreEvent, now: Moment) {
        publisher.logger.log(event)
        switch event {
        case .degraded(let error): storeFailure = error
        case .recovered:
            storeFailure = nil
            outbox?.retry()
        case .replaced: publisher.core.withLock { $0.keeper?.noteEverything($0.origin, now: now) }
        }
    }
}
