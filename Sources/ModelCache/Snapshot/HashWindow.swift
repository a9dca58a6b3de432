import ModelRecord

/// A part of a bucket, short enough to be copied under a shard's lock: a range of hashes, or of the keys of a seeded
/// array (``SlotArray/key(_:_:)``).
///
/// The parts of a bucket are of one kind, also where the shard goes over to a seeded array between two of them: each
/// record is in one of them, whatever the array is by the time that it is read.
struct HashWindow {
    let range: ClosedRange<UInt64>
    /// Of keys.
    let isSeeded: Bool

    /// The parts of `bucket`, so many of equal size.
    static func parts(of bucket: Int, count: UInt64, isSeeded: Bool) -> [HashWindow] {
        let first = UInt64(bucket) << 56
        let width = (UInt64(1) << 56) / count
        return (0..<count).map { part in
            HashWindow(range: (first + part * width)...(first + part * width + (width - 1)), isSeeded: isSeeded)
        }
    }

    /// The keys among which those of a table are: where its keys are of the other kind, all of the bucket's.
    @inline(__always)
    func keys(isSeeded: Bool) -> ClosedRange<UInt64> {
        if isSeeded == self.isSeeded { return range }
        let first = range.lowerBound & (0xFF &<< 56)
        return first...(first | (1 &<< 56 - 1))
    }

    /// The record, whose hash this is, is in it.
    @inline(__always)
    func contains(_ hash: UInt64, _ record: UnmanagedRecord) -> Bool {
        guard isSeeded else { return range.contains(hash) }
        return unsafe range.contains(record.lend { SlotArray.seededKey(hash, $0.idBytes) })
    }
}
