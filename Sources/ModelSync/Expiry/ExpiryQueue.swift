import ModelRecord

/// The models of an origin that end, by the time at which each has to be looked at: at its end, or before.
///
/// A model stands in it once, however often its end is moved: a later end is found when the model is looked at.
struct ExpiryQueue {
    /// The models by the times at which they are due, and former times, which count for nothing.
    private var queue = TimedQueue<ModelKey>()
    /// When each model is due.
    private var dues: [ModelKey: UInt64] = [:]

    /// How many models end.
    var count: Int { dues.count }

    /// How many times are queued; more than models where ends were moved to earlier times.
    var entryCount: Int { queue.count }

    /// When the first model is due; it may be one that is due later by now.
    var dueAt: UInt64? { queue.nextTime }

    /// When a model is due.
    subscript(key: ModelKey) -> UInt64? { dues[key] }

    /// Takes note that a model has to be looked at, unless it is due earlier.
    /// - Complexity: O(log *models*)
    mutating func note(_ key: ModelKey, dueAt: UInt64) {
        if let known = dues[key], known <= dueAt { return }
        dues[key] = dueAt
        queue.add(key, at: dueAt)
    }

    /// Takes out a model that is due; nil where none is.
    /// - Complexity: O(log *models*)
    mutating func take(now: UInt64) -> ModelKey? {
        while let next = queue.nextTime, next <= now, let (time, key) = queue.removeFirst() {
            guard dues[key] == time else { continue }
            dues[key] = nil
            return key
        }
        return nil
    }
}
