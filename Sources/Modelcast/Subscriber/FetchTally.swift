import Synchronization

/// Counts fetches from any thread.
final class FetchTally: Sendable {
    private let hits = Atomic<UInt64>(0)
    private let misses = Atomic<UInt64>(0)

    /// Takes note of a fetch of so many models, some of which were in the copy.
    func note(hits hitCount: Int, of count: Int) {
        if hitCount > 0 { hits.add(UInt64(hitCount), ordering: .relaxed) }
        if count > hitCount { misses.add(UInt64(count - hitCount), ordering: .relaxed) }
    }

    var counts: FetchCounts {
        FetchCounts(hits: hits.load(ordering: .relaxed), misses: misses.load(ordering: .relaxed))
    }
}
