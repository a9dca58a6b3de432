import ModelRecord
import Synchronization

/// The order of beginnings and ends of operations: what ends at a smaller number than another begins came before it.
final class HistoryClock: Sendable {
    private let ticks = Atomic<UInt64>(0)

    /// The next number.
    ///
    /// On x86 the instruction is in order with all others whatever is asked for. Relaxed, it tells the thread sanitizer
    /// of no order between the operations under test, which would hide a race of two that do not overlap.
    @inline(never)
    func tick() -> UInt64 {
        #if arch(x86_64)
            ticks.add(1, ordering: .relaxed).newValue
        #else
            ticks.add(1, ordering: .sequentiallyConsistent).newValue
        #endif
    }
}

/// From before an operation was begun to after it had ended, as numbers of a ``HistoryClock``.
struct Interval: Sendable, Hashable, CustomStringConvertible {
    let invoked: UInt64
    let responded: UInt64

    var description: String { "\(invoked)–\(responded)" }
}

/// A write that took effect at one moment between its beginning and its end.
struct WriteEvent: Sendable, CustomStringConvertible {
    let client: Int
    let interval: Interval
    /// Its place among all writes. Nil where the writer was not told: the log of commits knows it.
    var stamp: Stamp?
    /// What it did, in order, as one step.
    let steps: [ModelStep]
    /// What the writer saw of the only model immediately before.
    var before: Sighting?

    var description: String {
        "client \(client) \(interval) wrote at \(stamp.map(String.init) ?? "?"): "
            + steps.map(\.description).joined(separator: "; ")
    }
}

/// What somebody saw at one moment between beginning and end.
struct ReadEvent: Sendable, CustomStringConvertible {
    let client: Int
    let interval: Interval
    /// By which call.
    let call: String
    /// Several models are those of one cut.
    let seen: [ModelKey: Sighting]
    /// The copy may have lacked writes then, also some before those that it showed.
    var mayLack = false

    var description: String {
        "client \(client) \(interval) saw by \(call)\(mayLack ? ", not live" : ""): "
            + seen.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "; ")
    }
}

extension ReadEvent {
    /// The same read with less of what it saw.
    func seeing(_ seen: [ModelKey: Sighting]) -> ReadEvent {
        ReadEvent(client: client, interval: interval, call: call, seen: seen, mayLack: mayLack)
    }
}

/// What all clients have done and seen.
struct History: Sendable {
    var writes: [WriteEvent] = []
    /// Reads of the copy that the writes are made in.
    var reads: [ReadEvent] = []
    /// Reads of a copy that follows: they may be old, and never go back.
    var replicaReads: [ReadEvent] = []

    mutating func append(_ other: History) {
        writes += other.writes
        reads += other.reads
        replicaReads += other.replicaReads
    }

    /// All keys that are written or seen.
    var keys: Set<ModelKey> {
        Set(writes.flatMap { $0.steps.map(\.key) }).union((reads + replicaReads).flatMap(\.seen.keys))
    }
}

/// What contradicts the guarantees, with the events that show it and no others.
struct Violation: Error, CustomStringConvertible {
    let rule: String
    let events: [String]

    var description: String { ([rule] + events).joined(separator: "\n    ") }
}
