public import ModelRecord

/// What is to be written in one transaction: all of it or nothing.
///
/// ```swift
/// var changes = StoreChanges()
/// changes.upsert(record, type: "User")
/// changes.heads.append(StoredHead(origin: "users", topic: topic, incarnation: 7, sequence: 42))
/// try store.write(changes, durably: true)
/// ```
/// The parts are written in the order in which they are declared here; within a part a later element wins.
public struct StoreChanges: Sendable {
    /// Origins of which nothing is to be kept but records: their heads, batches and facts go.
    public var removedOrigins: [String] = []
    /// Records and tombstones, new ones and newer ones.
    public var records: [StoredRecord] = []
    /// Tombstones that were let go; only type and id count.
    public var removedRecords: [StoredRecord] = []
    /// Heads, new ones and newer ones.
    public var heads: [StoredHead] = []
    /// What is known of origins.
    public var origins: [StoredOrigin] = []
    /// Facts to be set; those that are not named stay.
    public var facts = StoreFacts()
    /// Batches that no one will ask for again.
    public var removedBatches: [BatchRange] = []
    /// Batches to be added to the ring. One that is there already stays as it is.
    public var batches: [StoredBatch] = []
    /// Applied to the ring at the end.
    public var retention: BatchRetention?

    public init() {}

    /// Adds a record of a model of `type`.
    public mutating func upsert(_ record: CellRecord, type: String) {
        records.append(StoredRecord(type: type, record: record))
    }

    /// Adds a tombstone that is let go.
    public mutating func remove(_ tombstone: CellRecord, type: String) {
        removedRecords.append(StoredRecord(type: type, record: tombstone))
    }

    /// There is nothing to write.
    public var isEmpty: Bool { !hasModels && !hasState && !hasBatchChanges }

    var hasModels: Bool { !records.isEmpty || !removedRecords.isEmpty }
    var hasState: Bool { !removedOrigins.isEmpty || !heads.isEmpty || !origins.isEmpty || !facts.values.isEmpty }
    var hasBatchChanges: Bool { !batches.isEmpty || !removedBatches.isEmpty || retention != nil }

    /// What counts as noted when these changes are committed: all but what the ring gets.
    var withoutBatches: StoreChanges {
        var rest = self
        (rest.batches, rest.retention) = ([], nil)
        return rest
    }

    /// It takes batches away, and so must not be written after batches that came later.
    var hasRemovals: Bool { !removedOrigins.isEmpty || !removedBatches.isEmpty }

    var batchByteCount: Int { batches.reduce(0) { $0 + $1.payload.count } }
}
