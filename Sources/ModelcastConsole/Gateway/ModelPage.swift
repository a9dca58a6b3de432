import ModelCache
import ModelRecord
import Modelcast

/// A part of the models of a type, in an order that stays while models come and go: by bucket, then by id.
struct ModelPage {
    /// The models of the page.
    private(set) var records: [CellRecord] = []
    /// The id behind which the next page begins; nil at the end.
    private(set) var next: String?

    /// About how many bytes of records end a page.
    static let byteCountMax = 4 << 20

    /// - Parameters:
    ///   - after: the id behind which the page begins; nil for the first one.
    ///   - limit: how many models it has at most.
    ///   - isWanted: asked now and then.
    /// - Returns: nil where the page was not wanted any more.
    init?(
        of snapshot: Snapshot, type: String, after: String?, limit: Int, _ query: ModelQuery,
        isWanted: ScanQueue.IsWanted
    ) {
        let first = after.map { Fingerprint.bucket(idHash: Fingerprint.fnv($0)) } ?? 0
        var byteCount = 0
        for bucket in first..<256 {
            guard isWanted() else { return nil }
            var found: [(id: String, record: CellRecord)] = []
            snapshot.forEach(type: type, buckets: bucket..<(bucket + 1)) { record in
                guard query.selects(record) else { return true }
                let id = record.id
                let isBehind = bucket > first || after.map { ModelPage.precedes($0, id) } ?? true
                if isBehind, query.selects(id: id) { found.append((id, record)) }
                return true
            }
            for (_, record) in found.sorted(by: { ModelPage.precedes($0.id, $1.id) }) {
                guard records.count < limit, byteCount < ModelPage.byteCountMax else {
                    next = records.last?.id
                    return
                }
                records.append(record)
                byteCount += record.byteCount
            }
        }
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
