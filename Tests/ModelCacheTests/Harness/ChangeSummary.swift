import ModelCache
import ModelRecord

extension Change {
    /// What a test compares: id, values before and after, changed fields.
    var summary: String {
        func text(_ record: CellRecord?) -> String {
            guard let record else { return "-" }
            return record.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.intValue ?? -1)" }
                .joined(separator: ",")
        }
        return "\(id): \(text(old)) > \(text(new)) [\(changedFields.joined(separator: ","))]"
    }
}
