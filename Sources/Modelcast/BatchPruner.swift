import ModelStore
import ModelSync

/// Lets go of stored batches once the records that they led to are in the file, and never before.
struct BatchPruner {
    /// The last sequence that is stored, by stream.
    private var stored: [ReplayRing.Stream: UInt64] = [:]
    /// What may go when the store has flushed so often.
    private var waiting: (ranges: [BatchRange], flushes: Int)?

    init(_ batches: [StoredBatch]) {
        for batch in batches { note(batch) }
    }

    /// A batch has been, or is about to be, stored.
    mutating func note(_ batch: StoredBatch) {
        let stream = ReplayRing.Stream(
            origin: batch.origin, incarnation: batch.incarnation, topic: batch.topic)
        stored[stream] = max(stored[stream] ?? 0, batch.sequence)
    }

    /// Notes the removal of what a flush has made superfluous, and looks for what the next one will.
    /// - Parameter noted: up to which sequence of a stream all records have been noted.
    mutating func step(_ store: WriteBehind, noted: (ReplayRing.Stream) -> UInt64) {
        guard !stored.isEmpty else { return }
        if let (ranges, flushes) = waiting {
            guard store.status.flushes >= flushes else { return }
            var changes = StoreChanges()
            changes.removedBatches = ranges
            store.note(changes)
            waiting = nil
            for range in ranges {
                let stream = ReplayRing.Stream(
                    origin: range.origin, incarnation: range.incarnation, topic: range.topic)
                if stored[stream] ?? .max <= range.through { stored[stream] = nil }
            }
        }
        let ranges = stored.compactMap { stream, last -> BatchRange? in
            let through = min(noted(stream), last)
            guard through > 0 else { return nil }
            return BatchRange(
                origin: stream.origin, incarnation: stream.incarnation, topic: stream.topic, through: through)
        }
        // The flush that is under way may have begun before the records were noted; the one after it has not.
        if !ranges.isEmpty { waiting = (ranges, store.status.flushes + 2) }
    }
}
