import ModelCache
import ModelRecord

/// The constant fields that the writes of one batch or transaction set. Each write is checked against those before it.
struct WrittenConstants: Sendable {
    /// A model as the writes so far tell of it.
    private struct Known {
        /// The model has been deleted, so its record in the cache does not count.
        var isDeleted = false
        var values: [String: Value] = [:]
    }

    private var models: [ModelKey: Known] = [:]
    /// The writes that are compared with the cache once no other write can come between.
    private var unchecked: [ModelWrite] = []

    /// Adds a write.
    /// - Throws: ``ModelcastError`` where an earlier write has set another value.
    mutating func add(_ write: ModelWrite) throws(ModelcastError) {
        guard write.hasConstants else { return }
        let key = ModelKey(type: write.type, id: write.id)
        var known = models[key] ?? Known()
        for pair in write.constantPairs {
            if let old = known.values[pair.field], !old.isNull, old != pair.value {
                throw write.refusal(pair.field, old, pair.value)
            }
            known.values[pair.field] = pair.value
        }
        try write.requireAll(of: known.values)
        models[key] = known
        if !known.isDeleted { unchecked.append(write) }
    }

    mutating func delete(_ type: String, _ id: String) {
        models[ModelKey(type: type, id: id)] = Known(isDeleted: true)
    }

    /// Compares the writes with the cache, and with a copy of what others have written.
    /// - Throws: ``ModelcastError`` where there is another value.
    func require(in cache: ModelCache, over others: Snapshot?) throws(ModelcastError) {
        for write in unchecked { try write.requireConstants(of: cache.record(write.type, write.id, over: others)) }
    }
}
