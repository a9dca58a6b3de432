import ModelCache
import ModelRecord

/// The preconditions of the writes of one transaction.
struct WritePreconditions: Sendable {
    private var all: [(type: String, id: String, precondition: Precondition)] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ type: String, _ id: String, _ precondition: Precondition) {
        all.append((type, id, precondition))
    }

    /// Looks at the models once no other write of this publisher can come between.
    /// - Parameter others: the copy of what others have written.
    /// - Throws: ``ModelcastError`` with code `conflict` for the first that is not met.
    func require(in own: ModelCache, over others: Snapshot?) throws(ModelcastError) {
        for (type, id, precondition) in all where !precondition.isMet(by: own.record(type, id, over: others)) {
            throw ModelcastError(
                .conflict,
                "\(type) \(id) is not as the writer took it to be, and nothing was changed; read it again, and decide "
                    + "anew")
        }
    }
}

extension ModelCache {
    /// The record of a model that this copy and another one make together, deleted or not.
    package func record(_ type: String, _ id: String, over others: Snapshot?) -> CellRecord? {
        let records = [
            record(type: type, id: id, includingTombstones: true),
            others?.record(type: type, id: id, includingTombstones: true),
        ]
        return CellRecord.joining(parts: records.compactMap(\.self))
    }
}
