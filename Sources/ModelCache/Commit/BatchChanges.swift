import ModelRecord

/// What of a batch differed from the records when it was merged: what its origin has to send.
///
/// Reused from batch to batch: it keeps its memory.
@_spi(CacheWriting)
public struct BatchChanges: Sendable {
    /// One update, in the order of the batch.
    public struct Entry: Sendable {
        /// Where its pairs that differ stand in ``BatchChanges/pairs``; empty where ``isWhole``.
        public let pairs: Range<Int>
        /// All pairs of the update differ: they are not copied, but stand where the update has them.
        public let isWhole: Bool
        /// How many pairs differ.
        public let count: Int
        /// The update changed the model. Also one without a pair may: it makes the model exist.
        public let isChanged: Bool
        /// The record would have become larger than allowed: the update was left out.
        public let isTooLarge: Bool
    }

    /// A record that would be larger is not made.
    public let byteCountMax: Int
    /// One for each update.
    public private(set) var entries: [Entry] = []
    /// The encoded pairs that differ, of all updates.
    public private(set) var pairs: [UInt8] = []

    public init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Is empty again.
    public mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        pairs.removeAll(keepingCapacity: true)
    }

    /// Takes note of what came of one update; takes the result back where the record is too large.
    mutating func note(_ result: inout UnmanagedMerge, _ update: borrowing UpdateView, _ plan: borrowing MergePlan) {
        guard let record = unsafe result.record else { return noteNothing() }
        guard unsafe record.byteCount <= byteCountMax, !plan.hasTooManyCells else {
            unsafe record.release()
            unsafe result.record = nil
            return noteNothing(isTooLarge: true)
        }
        noteChange(update, plan)
    }

    /// Takes note of an update that has changed the model.
    @inline(__always)
    mutating func noteChange(_ update: borrowing UpdateView, _ plan: borrowing MergePlan) {
        let start = pairs.count
        let isWhole = plan.hasWritten(all: update.fieldCount)
        let count = isWhole ? update.fieldCount : plan.appendWritten(of: update.fields, to: &pairs)
        entries.append(
            Entry(pairs: start..<pairs.count, isWhole: isWhole, count: count, isChanged: true, isTooLarge: false))
    }

    /// Takes note of an update that has changed nothing.
    mutating func noteNothing(isTooLarge: Bool = false) {
        let start = pairs.count
        entries.append(
            Entry(pairs: start..<start, isWhole: false, count: 0, isChanged: false, isTooLarge: isTooLarge))
    }
}
