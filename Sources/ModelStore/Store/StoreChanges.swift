public import ModelRecord

/// The changes of one transaction: all of them are written, or none.
///
/// ```swift
/// var changes = StoreChanges()
/// changes.upsert(record, type: "User")
/// changes.heads.append(StoredHead(origin: "users", topic: topic, incarnation: 7, sequence: 42))
/// try store.write(changes, durably: true)
/// ```
/// The parts are written in the order in which they are declared here. Within a part a later element wins, except in
/// ``batches``.
public struct StoreChanges: Sendable {
    /// Origins that are forgotten: their heads, their batches and their entries in ``origins`` are removed. Records
    /// stay.
    public var removedOrigins: [String] = []
    /// Records and tombstones, new ones and newer ones.
    public var records: [StoredRecord] = []
    /// Tombstones that were forgotten, whose rows are removed. Only type and id count.
    public var removedRecords: [StoredRecord] = []
    /// Heads, new ones and newer ones.
    public var heads: [StoredHead] = []
    /// Origins, new ones and newer states of known ones.
    public var origins: [StoredOrigin] = []
    /// Facts to be set. Facts that are not named stay.
    public var facts = StoreFacts()
    /// Batches that no replica will ask for again.
    public var removedBatches: [BatchRange] = []
    /// Batches to be added to the ring. A batch that is there already stays as it is.
    public var batches: [StoredBatch] = []
    /// The limits that are applied to the ring at the end.
    public var retention: BatchRetention?

    /// Makes empty changes.
    public init() {}

    /// Adds a record of a model of `type`.
    public mutating func upsert(_ record: CellRecord, type: String) {
        records.append(StoredRecord(type: type, record: record))
    }

    /// Adds a tombstone that was forgotten, whose row is removed.
    public mutating func remove(_ tombstone: CellRecord, type: String) {
        removedRecords.append(StoredRecord(type: type, record: tombstone))
    }

    /// True when there is nothing to write.
    public var isEmpty: Bool { !hasModels && !hasState && !hasBatchChanges }

    var hasModels: Bool { !records.isEmpty || !removedRecords.isEmpty }
    var hasState: Bool { !removedOrigins.isEmpty || !heads.isEmpty || !origins.isEmpty || !facts.values.isEmpty }
    var hasBatchChanges: Bool { !batches.isEmpty || !removedBatches.isEmpty || retention != nil }

    /// The changes that count as noted when they are committed: all but the batches and the limits of the ring.
    var withoutBatches: StoreChanges {
        var rest = self
        (rest.batches, rest.retention) = ([], nil)
        return rest
    }

    /// The changes remove batches, so they must not be written after batches that came later.
    var hasRemovals: Bool { !removedOrigins.isEmpty || !removedBatches.isEmpty }

    var batchByteCount: Int { batches.reduce(0) { $0 + $1.payload.count } }
}
