/// The counts of the observers, reading queues and snapshots of a subscriber.
public struct MixedFigures: Codable, Hashable, Sendable {
    /// For how long the queues read.
    var seconds = 0.0
    var reads = 0
    /// Reads that found a model; some models are deleted.
    var found = 0
    var snapshots = 0
    /// Pairs of one transaction that were compared in snapshots, all of them equal.
    var pairs = 0
    /// Changes told to the observers of everything, of a type and of single models.
    var changes = 0
    var typeChanges = 0
    var modelChanges = 0
    var folded = 0
    /// Latencies from the time at which a write was due until the observer of everything was told.
    var latency: LatencySummary
}
