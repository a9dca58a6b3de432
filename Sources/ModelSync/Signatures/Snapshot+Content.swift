import ModelCache
import ModelRecord
import ModelSigning

extension Snapshot {
    /// The hash of what the models of a bucket hold, as far as it was written at `since` or later.
    /// - Parameters:
    ///   - count: grows by the number of models that were looked at.
    ///   - olderCount: grows by the number of fields that were written before `since`.
    /// - Complexity: about 1 µs for each model of the bucket.
    func contentHash(
        of type: String, bucket: Int, since: Stamp, count: inout Int, olderCount: inout Int
    ) -> ContentHash {
        var hashes: [ContentHash] = []
        var content: [UInt8] = []
        forEach(type: type, buckets: bucket..<(bucket + 1), includingTombstones: true) { record in
            guard record.exists else { return true }
            count += 1
            content.removeAll(keepingCapacity: true)
            let fieldCount = record.appendContent(since: since, to: &content, olderCount: &olderCount)
            // A model may have no such field: an earlier start has written it.
            if fieldCount > 0 || since == 0 { hashes.append(ContentHash(ofModel: content.span)) }
            return true
        }
        return ContentHash(ofModels: hashes)
    }
}
