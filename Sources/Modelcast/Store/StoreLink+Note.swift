import Logging
@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelStore

/// What goes into the file while a service runs.
extension StoreLink {
    /// Notes what a journal has told, and what else there is, behind it.
    func note(_ journal: [JournalEntry], and rest: StoreChanges) {
        var changes = StoreChanges()
        for entry in journal {
            guard !entry.isRemoval else {
                changes.remove(entry.record, type: entry.type)
                continue
            }
            // Removals come last within changes: what came back after one must be in later changes.
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

    /// How many records are noted at once.
    private static let noteCount = 4096

    /// Notes all records and who keeps them: for a file that has taken the place of a damaged one.
    func noteEverything(of cache: ModelCache) {
        let snapshot = cache.snapshot()
        var changes = StoreChanges()
        changes.facts = identity
        for type in snapshot.types {
            snapshot.forEach(type: type, includingTombstones: true) { record in
                changes.upsert(record, type: type)
                if changes.records.count == StoreLink.noteCount {
                    behind.note(changes)
                    changes = StoreChanges()
                }
                return true
            }
        }
        // With the last of it: the file holds what the one before held.
        changes.facts.isPartial = false
        behind.note(changes)
    }
}

extension Logger {
    /// Writes what a store has to say.
    func log(_ event: StoreEvent) {
        switch event {
        case .degraded(let failure): warning("store: writing fails, and is tried again by itself: \(failure)")
        case .recovered(let failures): notice("store: writing works again after \(failures) failures")
        case .replaced(let report): warning("store: damaged or taken away, and written anew: \(report)")
        }
    }
}
