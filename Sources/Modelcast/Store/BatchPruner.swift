import ModelStore
import ModelSync

/// Removes stored batches once the records that they led to are in the file, and never before.
struct BatchPruner {
    /// The batches of one stream in the file.
    private struct Stored {
        /// All batches up to this sequence have been removed.
        var gone: UInt64 = 0
        var last: UInt64 = 0
    }

    private var stored: [ReplayRing.Stream: Stored] = [:]
    /// The ranges that may be removed when the store has completed this number of flushes.
    private var waiting: (ranges: [BatchRange], flushes: Int)?

    init(_ batches: [StoredBatch]) {
        for batch in batches { note(batch) }
    }

    /// Notes a stored batch. Its records must be merged before the next ``step(_:mayGo:)``.
    mutating func note(_ batch: StoredBatch) {
        let last = stored[batch.stream]?.last ?? 0
        stored[batch.stream, default: Stored()].last = max(last, batch.sequence)
    }

    /// Forgets these origins: the store removes all their batches.
    mutating func forget(_ origins: Set<String>) {
        stored = stored.filter { !origins.contains($0.key.origin) }
        waiting?.ranges.removeAll { origins.contains($0.origin) }
    }

    /// Forgets the waiting removals: in a new file the flushes to the old one do not count.
    mutating func beginAnew() { waiting = nil }

    /// Removes the batches whose records a flush has written, and finds those that the next flush makes superfluous.
    /// - Parameter mayGo: the sequence of a stream up to which all records have been noted and no batch is wanted any
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
        // The flush that is under way may have begun before the records were noted. The one after it includes them.
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
