import Synchronization

/// The limits of all types of a cache together.
// Unchecked because of the variable, which is touched under the writer lock, and of the hand.
final class Limiter: @unchecked Sendable {
    var limits: CacheLimits
    /// Where the search for models that have not been used goes on, over all types with a limit.
    let hand = SearchHand()

    /// See ``CacheLimits/prefetch``.
    let prefetch: CacheLimits.Prefetch
    /// All senders have told which models there are, once at least.
    let knowsIDs = Atomic<Bool>(false)

    init(_ limits: CacheLimits) {
        (self.limits, prefetch) = (limits, limits.prefetch)
    }
}

/// A place in the tables that a search goes around, as the hand of a clock does: in the first shard of each table, then
/// in the second, so that of models that are all as old each table loses according to its size. For the thread that
/// enforces limits, in the body of a commit.
final class SearchHand {
    var table = 0
    private(set) var shard = 0
    var index = 0

    /// Goes to the next shard of so many tables.
    func goOn(around tableCount: Int) {
        (table, index) = (table + 1, 0)
        if table >= tableCount { (table, shard) = (0, (shard + 1) % Shards.count) }
    }
}
