/// What observers, reading queues and snapshots of a subscriber saw.
public struct MixedFigures: Codable, Hashable, Sendable {
    /// Of those who read.
    var seconds = 0.0
    var reads = 0
    /// Reads that found a model: some are deleted.
    var found = 0
    var snapshots = 0
    /// Pairs of one transaction that were compared in snapshots, all of them equal.
    var pairs = 0
    /// Changes told: to who observes everything, a type, single models.
    var changes = 0
    var typeChanges = 0
    var modelChanges = 0
    var folded = 0
    /// From the time at which the write was due, to who observes everything.
    var latency: LatencySummary
}
