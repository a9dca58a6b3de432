import ModelRecord
import ModelWire

/// The changes that wait for a flush, conflated: the newest entry of each model, head, origin and fact.
struct PendingChanges {
    private struct HeadKey: Hashable {
        let origin: String
        let topic: Topic
    }

    private(set) var models: [String: Set<PendingModel>] = [:]
    /// How many entries ``models`` has.
    private(set) var modelCount = 0
    private var removedOrigins: Set<String> = []
    private var heads: [HeadKey: StoredHead] = [:]
    private var origins: [String: StoredOrigin] = [:]
    private var facts = StoreFacts()
    private var batches: [StoredBatch] = []
    private(set) var batchByteCount = 0
    private var removedBatches: [BatchRange] = []
    private var retention: BatchRetention?

    var isEmpty: Bool { modelCount == 0 && !hasOther }

    /// True where something other than models waits.
    var hasOther: Bool {
        !removedOrigins.isEmpty || !heads.isEmpty || !origins.isEmpty || !facts.values.isEmpty || !batches.isEmpty
            || !removedBatches.isEmpty || retention != nil
    }

    /// Adds later changes.
    /// - Returns: how many records of `later` replaced older ones.
    @discardableResult
    mutating func note(_ later: StoreChanges) -> Int {
        let before = modelCount
        note(later.records, isRemoval: false)
        note(later.removedRecords, isRemoval: true)
        noteOther(later)
        return later.records.count + later.removedRecords.count - (modelCount - before)
    }

    mutating func note(_ record: CellRecord, type: String) -> Bool {
        let older = models[type, default: []].update(with: PendingModel(record: record))
        if older == nil { modelCount += 1 }
        return older != nil
    }

    /// Adds the parts of `later` other than records.
    mutating func noteOther(_ later: StoreChanges) {
        for origin in later.removedOrigins {
            removedOrigins.insert(origin)
            origins[origin] = nil
            heads = heads.filter { $0.key.origin != origin }
            drop { $0.origin == origin }
        }
        for head in later.heads { heads[HeadKey(origin: head.origin, topic: head.topic)] = head }
        for origin in later.origins { origins[origin.name] = origin }
        facts.set(later.facts)
        for range in later.removedBatches {
            drop {
                $0.origin == range.origin && $0.incarnation == range.incarnation && $0.topic == range.topic
                    && $0.sequence <= range.through
            }
            // Every acknowledgement brings a range. The last range of a topic includes the earlier ones.
            removedBatches.removeAll {
                $0.origin == range.origin && $0.incarnation == range.incarnation && $0.topic == range.topic
                    && $0.through <= range.through
            }
            removedBatches.append(range)
        }
        batches += later.batches
        batchByteCount += later.batchByteCount
        retention = later.retention ?? retention
    }

    /// Adds later changes, and empties `later`.
    mutating func take(_ later: inout PendingChanges) {
        if modelCount == 0 {
            (models, modelCount) = (later.models, later.modelCount)
        } else {
            for (type, set) in later.models {
                for model in set { insert(model, type: type) }
            }
        }
        noteOther(later.other)
        later = PendingChanges()
    }

    /// All parts but the models. They are written after the models.
    var other: StoreChanges {
        var changes = StoreChanges()
        changes.removedOrigins = Array(removedOrigins)
        changes.heads = Array(heads.values)
        changes.origins = Array(origins.values)
        changes.facts = facts
        changes.batches = batches
        changes.removedBatches = removedBatches
        changes.retention = retention
        return changes
    }

    /// Takes out the removals of origins and batches. They go into the next commit, whose batches came later.
    mutating func takeRemovals() -> StoreChanges {
        var changes = StoreChanges()
        guard !removedOrigins.isEmpty || !removedBatches.isEmpty else { return changes }
        changes.removedOrigins = Array(removedOrigins)
        changes.removedBatches = removedBatches
        (removedOrigins, removedBatches) = ([], [])
        return changes
    }

    /// Puts back the result of ``takeRemovals()``. Later removals stay.
    mutating func putBack(removals: StoreChanges) {
        removedOrigins.formUnion(removals.removedOrigins)
        removedBatches = removals.removedBatches + removedBatches
    }

    /// Takes out the models, those of each type in the order of their ids. The index in the file has the same order, so
    /// neighbours share pages.
    mutating func takeModels() -> [(type: String, model: PendingModel)] {
        var list: [(type: String, model: PendingModel)] = []
        list.reserveCapacity(modelCount)
        for (type, set) in models {
            for model in set.sorted() { list.append((type, model)) }
        }
        (models, modelCount) = ([:], 0)
        return list
    }

    /// Puts back models that could not be written. A model that has come since is newer and stays.
    mutating func putBack(_ list: some Sequence<(type: String, model: PendingModel)>) {
        for (type, model) in list where models[type, default: []].insert(model).inserted { modelCount += 1 }
    }

    /// Drops the oldest batches until the others take at most `byteCountMax` bytes.
    /// - Returns: how many batches were dropped.
    mutating func limitBatches(to byteCountMax: Int) -> Int {
        var count = 0
        while batchByteCount > byteCountMax, count < batches.count {
            batchByteCount -= batches[count].payload.count
            count += 1
        }
        batches.removeFirst(count)
        return count
    }

    private mutating func note(_ records: [StoredRecord], isRemoval: Bool) {
        for row in records { insert(PendingModel(record: row.record, isRemoval: isRemoval), type: row.type) }
    }

    private mutating func insert(_ model: PendingModel, type: String) {
        if models[type, default: []].update(with: model) == nil { modelCount += 1 }
    }

    private mutating func drop(_ isGone: (StoredBatch) -> Bool) {
        guard !batches.isEmpty else { return }
        batches.removeAll(where: isGone)
        batchByteCount = batches.reduce(0) { $0 + $1.payload.count }
    }
}
