import ModelCache
import ModelGrants
import ModelRecord

/// A count of the models that hold something of the origins of some keys, deleted ones included. It goes through a
/// snapshot in steps, so that nobody waits for it.
struct ModelCensus: Sendable {
    private let snapshot: Snapshot
    private let owners: [Grantee]
    private let types: [String]
    private var type = 0
    private var bucket = 0
    /// The amounts by key, whole at the end.
    private(set) var amounts: [String: CreatedAmount] = [:]

    private static let bucketCount = 256
    /// After how many models, and buckets without models, a step ends: a millisecond or two.
    private static let stepCount = 2048

    init(of snapshot: Snapshot, for owners: [Grantee]) {
        (self.snapshot, self.owners) = (snapshot, owners)
        // Only types that some of them may write are looked at.
        types = snapshot.types.filter { type in
            owners.contains { $0.rights.publications.contains { $0.has(type: type) } }
        }
    }

    /// Takes one step.
    /// - Returns: whether everything is counted.
    mutating func advance() -> Bool {
        var left = ModelCensus.stepCount
        while type < types.count {
            guard left > 0 else { return false }
            left -= count(types[type], bucket) + 1
            bucket += 1
            if bucket == ModelCensus.bucketCount { (type, bucket) = (type + 1, 0) }
        }
        return true
    }

    private mutating func count(_ type: String, _ bucket: Int) -> Int {
        var (count, found) = (0, [CreatedAmount](repeating: CreatedAmount(), count: owners.count))
        snapshot.forEach(type: type, buckets: bucket..<bucket + 1, includingTombstones: true) { record in
            count += 1
            for (index, owner) in owners.enumerated() where record.isWritten(by: owner.rights.mayBe) {
                found[index] += CreatedAmount(ids: 1, byteCount: record.byteCount)
            }
            return true
        }
        for (owner, amount) in zip(owners, found) { amounts[owner.key, default: CreatedAmount()] += amount }
        return count
    }
}
