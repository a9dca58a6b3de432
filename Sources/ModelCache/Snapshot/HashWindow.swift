@_spi(RecordWriting) import ModelRecord

/// A part of a bucket, short enough to be copied under a shard's lock: a range of hashes, or of the keys of a seeded
/// array (``SlotArray/key(_:_:)``).
///
/// All parts of a bucket are ranges of one kind, also where the shard goes over to a seeded array between two reads. So
/// each record is in exactly one part, whatever the array is when that part is read.
struct HashWindow {
    let range: ClosedRange<UInt64>
    /// The range is one of seeded keys.
    let isSeeded: Bool

    /// Splits `bucket` into `count` parts of equal size.
    static func parts(of bucket: Int, count: UInt64, isSeeded: Bool) -> [HashWindow] {
        let first = UInt64(bucket) << 56
        let width = (UInt64(1) << 56) / count
        return (0..<count).map { part in
            HashWindow(range: (first + part * width)...(first + part * width + (width - 1)), isSeeded: isSeeded)
        }
    }

    /// The range of an array's keys that covers this part. Where the array has keys of the other kind, it is the whole
    /// bucket.
    @inline(__always)
    func keys(isSeeded: Bool) -> ClosedRange<UInt64> {
        if isSeeded == self.isSeeded { return range }
        let first = range.lowerBound & (0xFF &<< 56)
        return first...(first | (1 &<< 56 - 1))
    }

    /// True where a record with this hash is in the part.
    @inline(__always)
    func contains(_ hash: UInt64, _ record: UnmanagedRecord) -> Bool {
        guard isSeeded else { return range.contains(hash) }
        return unsafe range.contains(record.lend { SlotArray.seededKey(hash, $0.idBytes) })
    }
}
