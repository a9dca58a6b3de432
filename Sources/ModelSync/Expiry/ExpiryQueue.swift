import ModelRecord

/// The models of an origin that end, by the time at which each has to be looked at: at its end, or before.
///
/// A model stands in it once, however often its end is moved: a later end is found when the model is looked at.
struct ExpiryQueue {
    /// The end of a model: on the wall clock, and when as much time has passed as there was left when it was written.
    struct End: Equatable {
        let wallMilliseconds: UInt64
        let dueAt: UInt64
    }

    /// When a model has to be looked at, and its end; nil where it is looked at for another reason.
    private struct Due {
        var lookAt: UInt64
        var end: End?
    }

    /// The models by the times at which they are due, and former times, which count for nothing.
    private var queue = TimedQueue<ModelKey>()
    /// When each model is due.
    private var dues: [ModelKey: Due] = [:]

    /// How many models end.
    var count: Int { dues.count }

    /// How many times are queued; more than models where ends were moved to earlier times.
    var entryCount: Int { queue.count }

    /// When the first model is due; it may be one that is due later by now.
    var dueAt: UInt64? { queue.nextTime }

    /// When a model is due.
    subscript(key: ModelKey) -> UInt64? { dues[key]?.lookAt }

    /// Takes note that a model has to be looked at, unless it is due earlier.
    /// - Parameter end: its end. One that is known already is due when it was.
    /// - Complexity: O(log *models*)
    mutating func note(_ key: ModelKey, dueAt: UInt64, end: End? = nil) {
        guard var due = dues[key] else {
            dues[key] = Due(lookAt: dueAt, end: end)
            return queue.add(key, at: dueAt)
        }
        if let end, due.end?.wallMilliseconds != end.wallMilliseconds { due.end = end }
        if dueAt < due.lookAt {
            due.lookAt = dueAt
            queue.add(key, at: dueAt)
        }
        dues[key] = due
    }

    /// Takes out a model that is due, with its end where that is known; nil where none is.
    /// - Complexity: O(log *models*)
    mutating func take(now: UInt64) -> (key: ModelKey, end: End?)? {
        while let next = queue.nextTime, next <= now, let (time, key) = queue.removeFirst() {
            guard let due = dues[key], due.lookAt == time else { continue }
            dues[key] = nil
            return (key, due.end)
        }
        return nil
    }
}
