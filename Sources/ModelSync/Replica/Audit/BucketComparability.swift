/// The relation that the digests of each bucket of a type must show. It is found in one pass over the streams of the
/// type, because a sender may have made up very many.
struct BucketComparability {
    /// For each bucket; nil where its digests cannot be compared.
    private var buckets = [Audit.Comparability?](repeating: .equal, count: BucketComparability.count)
    private var isNothing = false
    private var isAtLeast = false

    private static let count = 256

    /// Limits these buckets to what a stream that carries them allows.
    mutating func limit(_ carried: Range<Int>, to comparability: Audit.Comparability?) {
        guard comparability != .equal, !isNothing, comparability == nil || !isAtLeast else { return }
        for bucket in carried where buckets[bucket] != nil { buckets[bucket] = comparability }
        guard carried.count == BucketComparability.count else { return }
        if comparability == nil { isNothing = true } else { isAtLeast = true }
    }

    /// The relation that the digests of a range of buckets together must show; nil where they cannot be compared.
    subscript(range: Range<Int>) -> Audit.Comparability? {
        var result = Audit.Comparability.equal
        for bucket in range {
            guard let comparability = buckets[bucket] else { return nil }
            if comparability == .atLeast { result = .atLeast }
        }
        return result
    }
}

/// The buckets in which two copies are equal.
struct EqualBuckets {
    private var isEqual = [Bool](repeating: false, count: 256)
    private(set) var isEmpty = true

    mutating func insert(_ range: Range<Int>) {
        isEmpty = false
        for bucket in range { isEqual[bucket] = true }
    }

    /// For each bucket, the end of the run of equal buckets that begins with it; the bucket itself where it is not
    /// equal.
    var ends: [Int] {
        var ends = Array(isEqual.indices)
        for bucket in ends.reversed() where isEqual[bucket] {
            ends[bucket] = bucket + 1 < ends.count && isEqual[bucket + 1] ? ends[bucket + 1] : bucket + 1
        }
        return ends
    }
}
