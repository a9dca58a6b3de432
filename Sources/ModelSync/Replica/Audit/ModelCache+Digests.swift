import ModelCache
import ModelRecord

extension ModelCache {
    /// The digests of a type by ranges of ids: one for each value of the top `bits` of the mixed hash.
    /// - Parameter bits: 0 to 16.
    /// - Complexity: O(256) up to 8 bits, O(*models*) above.
    func digests(of type: String, bits: Int) -> [UInt64] {
        var result = [UInt64](repeating: 0, count: 1 << bits)
        guard bits > 8 else {
            for (bucket, digest) in bucketDigests(of: type).enumerated() { result[bucket >> (8 - bits)] &+= digest }
            return result
        }
        return snapshot().digests(of: type, bits: bits)
    }
}

extension Snapshot {
    /// The digests of a type as the snapshot has it.
    /// - Parameter bits: 0 to 16.
    /// - Complexity: O(*models*)
    func digests(of type: String, bits: Int) -> [UInt64] {
        var result = [UInt64](repeating: 0, count: 1 << bits)
        forEach(type: type, includingTombstones: true) { record in
            result[bits == 0 ? 0 : Int(Fingerprint.mix(record.idHash) >> UInt64(64 - bits))] &+= record.digest
            return true
        }
        return result
    }
}
