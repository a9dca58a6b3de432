import ModelCache
import ModelRecord

/// The constant fields that the writes of one batch or transaction set, each of which sees those before it.
struct WrittenConstants: Sendable {
    private struct Key: Hashable {
        let type: String
        let id: String
    }

    /// What is known of a model by the writes so far.
    private struct Known {
        /// It has been deleted: what the cache has does not count.
        var isDeleted = false
        var values: [String: Value] = [:]
    }

    private var models: [Key: Known] = [:]
    /// Those that are to be compared with the cache once nobody else can write.
    private var unchecked: [ModelWrite] = []

    /// - Throws: ``ModelcastError`` where a write before has set another value.
    mutating func add(_ write: ModelWrite) throws(ModelcastError) {
        guard write.hasConstants else { return }
        let key = Key(type: write.type, id: write.id)
        var known = models[key] ?? Known()
        for pair in write.constantPairs {
            if let old = known.values[pair.field], !old.isNull, old != pair.value { throw write.refusal(pair, old) }
            known.values[pair.field] = pair.value
        }
        models[key] = known
        if !known.isDeleted { unchecked.append(write) }
    }

    mutating func delete(_ type: String, _ id: String) { models[Key(type: type, id: id)] = Known(isDeleted: true) }

    /// - Throws: ``ModelcastError`` where the cache has another value.
    func require(in cache: ModelCache) throws(ModelcastError) {
        for write in unchecked { try write.requireConstants(in: cache) }
    }
}
