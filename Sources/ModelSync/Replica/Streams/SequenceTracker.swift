/// Which batches of one (origin, incarnation, topic) have been applied.
///
/// Batches are applied at once in whatever order they come, because the merge does not care; this is the bookkeeping
/// that tells a duplicate from news and a hole from a late arrival.
public struct SequenceTracker: Hashable, Sendable {
    /// The verdict of this tracker on a sequence.
    public enum Arrival: Sendable {
        /// Not seen before; it counts as applied from now on.
        case new
        /// Seen before: to be dropped.
        case duplicate
    }

    /// Every sequence up to this one has been applied, or is covered by a snapshot.
    public private(set) var applied: UInt64 = 0
    /// The greatest head that a sender has told.
    public private(set) var head: UInt64 = 0
    /// Applied sequences beyond a hole: disjoint, ascending, none adjacent.
    public private(set) var ahead: [ClosedRange<UInt64>] = []

    /// Nothing applied, nothing known.
    public init() {}

    /// How many runs beyond holes are remembered. Past it the last is forgotten: its batches count as missing.
    public static let aheadCountMax = 4096

    /// The last sequence that has been applied, beyond a hole or not.
    var lastApplied: UInt64 { ahead.last?.upperBound ?? applied }

    /// The sequences that are missing before the last known one.
    public var missingCount: UInt64 {
        let last = max(head, ahead.last?.upperBound ?? 0)
        guard last > applied else { return 0 }
        return last - applied - ahead.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) }
    }

    /// Something is missing: a batch beyond the next one was applied, or a head lies beyond the applied.
    public var hasHole: Bool { head > applied || !ahead.isEmpty }

    /// The first missing sequences in a row, from `start` on.
    /// - Parameter countMax: no more than that many.
    public func gap(from start: UInt64 = 1, countMax: UInt64) -> ClosedRange<UInt64>? {
        precondition(countMax > 0, "a gap has at least one sequence")
        guard hasHole, applied < .max else { return nil }
        var first = max(start, applied + 1)
        for run in ahead {
            guard first >= run.lowerBound else { return limited(first...(run.lowerBound - 1), countMax) }
            if first > run.upperBound { continue }
            guard run.upperBound < .max else { return nil }
            first = run.upperBound + 1
        }
        return first <= head ? limited(first...head, countMax) : nil
    }

    private func limited(_ range: ClosedRange<UInt64>, _ countMax: UInt64) -> ClosedRange<UInt64> {
        range.upperBound - range.lowerBound < countMax ? range : range.lowerBound...(range.lowerBound + (countMax - 1))
    }

    /// This batch has been applied, or is covered by a snapshot.
    public func contains(_ sequence: UInt64) -> Bool {
        sequence <= applied || ahead.contains { $0.contains(sequence) }
    }

    /// Takes note of a batch.
    public mutating func arrive(_ sequence: UInt64) -> Arrival {
        if sequence == applied &+ 1, sequence > 0 {
            applied = sequence
            absorb()
            return .new
        }
        if sequence <= applied { return .duplicate }
        var index = ahead.endIndex
        while index > 0, ahead[index - 1].lowerBound > sequence { index -= 1 }
        if index > 0, ahead[index - 1].contains(sequence) { return .duplicate }
        insert(sequence, at: index)
        if ahead.count > SequenceTracker.aheadCountMax, let last = ahead.popLast() { learn(head: last.upperBound) }
        return .new
    }

    /// Takes note of a head in `heads`: the last sequence sent.
    public mutating func learn(head newHead: UInt64) { head = max(head, newHead) }

    /// Takes note of a snapshot that holds everything up to `sequence`.
    public mutating func cover(through sequence: UInt64) {
        learn(head: sequence)
        guard sequence > applied else { return }
        applied = sequence
        absorb()
    }

    /// Replaces the head: what was told before counts no longer.
    mutating func replaceHead(by newHead: UInt64) { head = newHead }

    /// Goes back to what was applied before a claim, and keeps what has been applied beyond it since.
    mutating func takeBack(through: UInt64, former: SequenceTracker) {
        let later = ([0...applied] + ahead).filter { $0.upperBound > through }
        self = former
        ahead = ahead.filter { $0.lowerBound <= through }.map { $0.lowerBound...min($0.upperBound, through) }
        for run in later { append(max(run.lowerBound, through + 1)...run.upperBound) }
    }

    /// Adds a run beyond all others.
    private mutating func append(_ run: ClosedRange<UInt64>) {
        if let last = ahead.last, last.upperBound &+ 1 == run.lowerBound {
            ahead[ahead.endIndex - 1] = last.lowerBound...run.upperBound
        } else if ahead.count < SequenceTracker.aheadCountMax {
            ahead.append(run)
        } else {
            learn(head: run.upperBound)
        }
        absorb()
    }

    private mutating func insert(_ sequence: UInt64, at index: Int) {
        let joinsBefore = index > 0 && ahead[index - 1].upperBound &+ 1 == sequence
        let joinsAfter = index < ahead.count && ahead[index].lowerBound == sequence &+ 1
        switch (joinsBefore, joinsAfter) {
        case (true, true):
            ahead[index - 1] = ahead[index - 1].lowerBound...ahead[index].upperBound
            ahead.remove(at: index)
        case (true, false): ahead[index - 1] = ahead[index - 1].lowerBound...sequence
        case (false, true): ahead[index] = sequence...ahead[index].upperBound
        case (false, false): ahead.insert(sequence...sequence, at: index)
        }
    }

    /// Moves what is no longer beyond a hole from `ahead` to `applied`.
    private mutating func absorb() {
        while let first = ahead.first, first.lowerBound <= applied &+ 1 {
            applied = max(applied, first.upperBound)
            ahead.removeFirst()
        }
    }
}
