import ModelCache
import ModelRecord

extension Snapshot {
    /// How many models are looked at of a type, to tell how large the others are.
    private static let sampleCount = 64

    /// About how many bytes the records of a type take: those of some models, which the hashes of their ids have drawn,
    /// times the number of all.
    func estimatedByteCount(of type: String) -> Int {
        var (models, byteCount) = (0, 0)
        forEach(type: type) { record in
            models += 1
            byteCount += record.byteCount + ModelLimits.overheadByteCount
            return models < Snapshot.sampleCount
        }
        return models == 0 ? 0 : Int(Double(byteCount) / Double(models) * Double(count(of: type)))
    }
}
