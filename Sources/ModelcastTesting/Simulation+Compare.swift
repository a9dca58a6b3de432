public import ModelCache
import ModelRecord
import ModelSync

extension Simulation {
    /// What all origins have published, joined: what every replica must hold at rest.
    public func expected() -> ModelCache {
        let joined = ModelCache()
        for origin in origins {
            let snapshot = origin.cache.snapshot()
            joined.commit { commit in
                for type in snapshot.types {
                    snapshot.forEach(type: type, includingTombstones: true) { record in
                        commit.join(record, type: type)
                        return true
                    }
                }
            }
        }
        return joined
    }

    /// Every way in which a replica differs from what was published: digests, then records; empty when all are equal.
    public func differences() -> [String] {
        let expected = expected()
        var result: [String] = []
        for (index, replica) in replicas.enumerated() {
            let actual = replica.cache
            for type in Set(expected.types).union(actual.types).sorted() {
                if expected.digest(of: type) != actual.digest(of: type) {
                    result.append("replica-\(index): the digest of \(type) differs")
                }
                let records = differingRecords(of: type, expected.snapshot(), actual.snapshot())
                result += records.map { "replica-\(index): \(type) \($0)" }
            }
        }
        return result
    }

    private func differingRecords(of type: String, _ expected: Snapshot, _ actual: Snapshot) -> [String] {
        var byID: [String: Record] = [:]
        expected.forEach(type: type) { record in
            byID[record.id] = record
            return true
        }
        var result: [String] = []
        actual.forEach(type: type) { record in
            let wanted = byID.removeValue(forKey: record.id)
            if wanted?.cells != record.cells {
                result.append("\(record.id): \(record) instead of \(wanted.map { "\($0)" } ?? "nothing")")
            }
            return true
        }
        return result + byID.keys.sorted().map { "\($0): missing" }
    }
}
