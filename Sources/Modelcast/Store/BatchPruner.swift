import ModelStore
import ModelSync

/// Lets go of stored batches once the records that they led to are in the file, and never before.
struct BatchPruner {
    /// What the file holds of one stream.
    private struct Stored {
        /// Up to this sequence all batches have been let go.
        var gone: UInt64 = 0
        var last: UInt64 = 0
    }

    private var stored: [ReplayRing.Stream: Stored] = [:]
    /// What may go when the store has flushed so often.
    private var waiting: (ranges: [BatchRange], flushes: Int)?

    init(_ batches: [StoredBatch]) {
        for batch in batches { note(batch) }
    }

    /// A batch has been stored, and is merged before the next ``step(_:mayGo:)``.
    mutating func note(_ batch: StoredBatch) {
        let last = stored[batch.stream]?.last ?? 0
        stored[batch.stream, default: Stored()].last = max(last, batch.sequence)
    }

    /// The store lets go of all batches of these origins.
    mutating func forget(_ origins: Set<String>) {
        stored = stored.filter { !origins.contains($0.key.origin) }
        waiting?.ranges.removeAll { origins.contains($0.origin) }
    }

    /// There is a new file: what was written to the one before counts for nothing.
    mutating func beginAnew() { waiting = nil }

    /// Notes the removal of what a flush has made superfluous, and looks for what the next one will.
    /// - Parameter mayGo: up to which sequence of a stream all records have been noted, and no batch is wanted any
    ///   more.
    mutating func step(_ store: WriteBehind, mayGo: (ReplayRing.Stream) -> UInt64) {
        guard !stored.isEmpty else { return }
        if let (ranges, flushes) = waiting {
            guard store.status.flushes >= flushes else { return }
            var changes = StoreChanges()
            changes.removedBatches = ranges
            store.note(changes)
            waiting = nil
            for range in ranges {
                guard let last = stored[range.stream]?.last else { continue }
                stored[range.stream] = last <= range.through ? nil : Stored(gone: range.through, last: last)
            }
        }
        let ranges = stored.compactMap { stream, stored -> BatchRange? in
            let through = min(mayGo(stream), stored.last)
            guard through > stored.gone else { return nil }
            return BatchRange(
                origin: stream.origin, incarnation: stream.incarnation, topic: stream.topic, through: through)
        }
        // The flush that is under way may have begun before the records were noted; the one after it has not.
        if !ranges.isEmpty { waiting = (ranges, store.status.flushes + 2) }
    }
}

extension StoredBatch {
    fileprivate var stream: ReplayRing.Stream {
        ReplayRing.Stream(origin: origin, incarnation: incarnation, topic: topic)
    }
}

extension BatchRange {
    fileprivate var stream: ReplayRing.Stream {
        ReplayRing.Stream(origin: origin, incarnation: incarnation, topic: topic)
    }
}
