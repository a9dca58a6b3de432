import Logging
@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelStore

/// The changes that go into the file while a service runs.
extension StoreLink {
    /// Notes the changes of a journal, and behind them the other changes.
    func note(_ journal: [JournalEntry], and rest: StoreChanges) {
        var changes = StoreChanges()
        for entry in journal {
            guard !entry.isRemoval else {
                changes.remove(entry.record, type: entry.type)
                continue
            }
            // Within one set of changes removals come last, so a record that came back after its removal must go into a
            // later set.
            if !changes.removedRecords.isEmpty {
                behind.note(changes)
                changes = StoreChanges()
            }
            changes.upsert(entry.record, type: entry.type)
        }
        changes.removedOrigins = rest.removedOrigins
        changes.heads = rest.heads
        changes.origins = rest.origins
        changes.facts = rest.facts
        if !changes.isEmpty { behind.note(changes) }
    }

    /// How many records are noted at a time.
    private static let noteCount = 4096

    /// Notes all records and the facts of the owner, for a file that has taken the place of a damaged one.
    func noteEverything(of cache: ModelCache) {
        let snapshot = cache.snapshot()
        var changes = StoreChanges()
        changes.facts = identity
        for type in snapshot.types where !cache.mayEvict(type) {
            snapshot.forEach(type: type, includingTombstones: true) { record in
                changes.upsert(record, type: type)
                if changes.records.count == StoreLink.noteCount {
                    behind.note(changes)
                    changes = StoreChanges()
                }
                return true
            }
        }
        // The last set says that the file is complete: it holds everything that the one before held.
        changes.facts.isPartial = false
        behind.note(changes)
    }
}

extension Logger {
    /// Logs an event of a store.
    func log(_ event: StoreEvent) {
        switch event {
        case .degraded(let failure): warning("store: writing fails, and is tried again by itself: \(failure)")
        case .recovered(let failures): notice("store: writing works again after \(failures) failures")
        case .replaced(let report): warning("store: damaged or taken away, and written anew: \(report)")
        }
    }
}
