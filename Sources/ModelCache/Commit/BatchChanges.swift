@_spi(RecordWriting) import ModelRecord

/// For each update of an origin's own batch, which of its pairs differed from the record at the merge. Only these have
/// to be sent.
///
/// Reused from batch to batch, so that it keeps its memory.
@_spi(CacheWriting)
public struct BatchChanges: Sendable {
    /// One update, in the order of the batch.
    public struct Entry: Sendable {
        /// The differing pairs of this update, as a range of bytes in ``BatchChanges/pairs``; empty where ``isWhole``.
        public let pairs: Range<Int>
        /// All pairs of the update differ. They are not copied to ``BatchChanges/pairs``: the update itself has them.
        public let isWhole: Bool
        /// How many pairs differ.
        public let count: Int
        /// The update changed the model. An update without pairs may do so, too: it makes the model exist.
        public let isChanged: Bool
        /// The update was left out, as the record would have become larger than ``BatchChanges/byteCountMax``.
        public let isTooLarge: Bool
    }

    /// The size limit of a record, in bytes. An update that would exceed it is refused.
    public let byteCountMax: Int
    /// One entry for each update, in the order of the batch.
    public private(set) var entries: [Entry] = []
    /// The encoded pairs that differ, of all updates, one behind the other.
    public private(set) var pairs: [UInt8] = []

    /// Makes an empty list for one batch after the other.
    public init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Removes all entries and keeps the memory.
    public mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        pairs.removeAll(keepingCapacity: true)
    }

    /// Notes the outcome of one update. Where the record is too large it is released and taken out of `result`.
    mutating func note(_ result: inout UnmanagedMerge, _ update: borrowing UpdateView, _ plan: borrowing MergePlan) {
        guard let record = unsafe result.record else { return noteNothing() }
        guard unsafe record.byteCount <= byteCountMax, !plan.hasTooManyCells else {
            unsafe record.release()
            unsafe result.record = nil
            return noteNothing(isTooLarge: true)
        }
        noteChange(update, plan)
    }

    /// Notes an update that has changed the model.
    @inline(__always)
    mutating func noteChange(_ update: borrowing UpdateView, _ plan: borrowing MergePlan) {
        let start = pairs.count
        let isWhole = plan.hasWritten(all: update.fieldCount)
        let count = isWhole ? update.fieldCount : plan.appendWritten(of: update.fields, to: &pairs)
        entries.append(
            Entry(pairs: start..<pairs.count, isWhole: isWhole, count: count, isChanged: true, isTooLarge: false))
    }

    /// Notes an update that has changed nothing.
    mutating func noteNothing(isTooLarge: Bool = false) {
        let start = pairs.count
        entries.append(
            Entry(pairs: start..<start, isWhole: false, count: 0, isChanged: false, isTooLarge: isTooLarge))
    }
}
