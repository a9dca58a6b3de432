@_spi(RecordWriting) import ModelRecord

/// The models of a type that have left the copy, those of them that were deleted since, and those that are on their way
/// back.
///
/// An evicted model is kept as a hash of 64 bits, which nobody outside can choose (``SeededHash``). In a copy that has
/// evicted a billion models, one id in some ten billion others would count as evicted, too; a fetch tells that it is
/// not.
///
/// With each hash goes the newest stamp that has been seen of the model. A delete above that is the end of the model:
/// it counts as one that does not exist, and is forgotten together with the tombstones of its time. So the list does
/// not grow with models that were.
///
/// In a lazy copy only what is fetched is here. Either every other model counts as evicted, and nothing is kept of them
/// but their deletes; or their ids are kept, so that they can be listed and told apart from what does not exist.
struct AbsentModels {
    private let prefetch: CacheLimits.Prefetch
    /// The models, each with the newest stamp that has been seen of it.
    private var evicted = BucketTables<Stamp>()
    /// The ids of these models by their hashes, where ids are kept.
    private var ids = BucketTables<String>()
    /// The models that were deleted after they had been evicted, each with the stamp of the delete.
    private var ended = BucketTables<Stamp>()
    /// The later writes that others tell of models which are here, each with its stamp: what is here may leave before
    /// they come. Only where ids are kept.
    private var later = BucketTables<Stamp>()
    /// The models that are being fetched, with all that has come of each since its fetch began; nil where nothing has.
    private var arriving: [ExactText: CellRecord?] = [:]
    /// How many models are evicted, those included that are on their way back.
    private(set) var count = 0
    /// How many deletes of evicted models are remembered.
    private(set) var endedCount = 0
    /// See ``EvictionCounts``.
    private(set) var counts = EvictionCounts()

    init(_ prefetch: CacheLimits.Prefetch) { self.prefetch = prefetch }

    /// Only what is fetched is here.
    private var isLazy: Bool { prefetch.isLazy }
    /// The ids of all other models are kept.
    private var keepsIDs: Bool { prefetch == .ids }
    /// Every model that is not here counts as evicted.
    private var isBlind: Bool { prefetch == .none }

    var isEmpty: Bool { !isLazy && count == 0 && endedCount == 0 && arriving.isEmpty }

    /// The same models, of which none is on its way back.
    var withoutArrivals: AbsentModels {
        var copy = self
        copy.arriving = [:]
        return copy
    }

    /// The model is evicted, and not known to be deleted.
    func contains(_ hash: UInt64, _ id: Span<UInt8>) -> Bool {
        if isBlind { return !hasEnded(hash, id) }
        return count > 0 && evicted[Int(hash &>> 56)][SeededHash.of(id)] != nil
    }

    /// The model was deleted while it was not here.
    func hasEnded(_ hash: UInt64, _ id: Span<UInt8>) -> Bool {
        endedCount > 0 && ended[Int(hash &>> 56)][SeededHash.of(id)] != nil
    }

    /// The model is evicted, or was when it was deleted. In a lazy copy that holds for all that are not here.
    func hasLeft(_ hash: UInt64, _ id: Span<UInt8>) -> Bool {
        isLazy || contains(hash, id) || hasEnded(hash, id)
    }

    /// Takes note that a model leaves.
    mutating func insert(_ hash: UInt64, _ record: CellRecord) {
        counts.evictions += 1
        if keepsIDs {
            let (bucket, key) = (Int(hash &>> 56), SeededHash.of(record.idBytes))
            let last = later[bucket].removeValue(forKey: key) ?? 0
            // A later delete of a model that was held may be known, or a later write of one that was deleted here.
            let isDelete = !record.exists && last < record.lastStamp
            note(bucket, key, max(record.lastStamp, last), isDelete: isDelete) { record.id }
        } else if isLazy, !record.exists {
            // Only a lazy copy lets deletes go, too.
            _ = note(hash, record.idBytes, record.lastStamp, isDelete: true)
        } else if !isBlind {
            add(Int(hash &>> 56), SeededHash.of(record.idBytes), record.lastStamp) { record.id }
        }
    }

    private mutating func add(_ bucket: Int, _ key: UInt64, _ stamp: Stamp, id: () -> String?) {
        guard evicted[bucket].updateValue(stamp, forKey: key) == nil else { return }
        count += 1
        if keepsIDs { ids[bucket][key] = id() }
    }

    /// Takes a model off the list of those that are evicted, if it is on it.
    private mutating func remove(_ bucket: Int, _ key: UInt64) {
        guard count > 0, evicted[bucket].removeValue(forKey: key) != nil else { return }
        evicted[bucket].giveBackRoom()
        count -= 1
        guard keepsIDs else { return }
        ids[bucket][key] = nil
        ids[bucket].giveBackRoom()
    }

    // MARK: What comes of them

    /// Keeps an update back if its model is evicted, or was when it was deleted.
    /// - Returns: false where the update may make a model.
    mutating func keepBack(_ update: borrowing UpdateView, _ hash: UInt64, plan: inout MergePlan) -> Bool {
        guard note(hash, update.id, update.stamp, isDelete: update.operation == .delete) else { return false }
        if !arriving.isEmpty, let text = try? UTF8Span(validating: update.id) {
            let id = ExactText(String(copying: text))
            if let known = arriving[id], let more = CellRecord.applying(update, to: known, plan: &plan).record {
                arriving[id] = .some(more)
            }
        }
        return true
    }

    /// Keeps a record back if its model is evicted, or was when it was deleted.
    mutating func keepBack(_ record: CellRecord, _ hash: UInt64, plan: inout MergePlan) -> Bool {
        let end = record.exists ? nil : record.floor?.stamp
        guard note(hash, record.idBytes, end ?? record.lastStamp, isDelete: end != nil) else { return false }
        keep(record, plan: &plan)
        return true
    }

    /// Takes note that a model was deleted or written that is here as it was before, and may leave before that shows.
    mutating func noteLater(_ record: CellRecord, _ hash: UInt64) {
        let (bucket, key) = (Int(hash &>> 56), SeededHash.of(record.idBytes))
        guard record.exists else {
            if let last = later[bucket][key], record.lastStamp <= last { return }
            return note(bucket, key, record.lastStamp, isDelete: true) { nil }
        }
        if let end = ended[bucket][key] {
            guard record.lastStamp >= end else { return }
            ended[bucket][key] = nil
            endedCount -= 1
        }
        later[bucket][key] = max(later[bucket][key] ?? 0, record.lastStamp)
    }

    /// Takes note of a stamp of a model that is evicted or ended.
    /// - Returns: false where it is neither.
    private mutating func note(_ hash: UInt64, _ id: Span<UInt8>, _ stamp: Stamp, isDelete: Bool) -> Bool {
        if isBlind { return noteBlindly(hash, id, stamp, isDelete: isDelete) }
        guard keepsIDs || count > 0 || endedCount > 0 else { return false }
        let (bucket, key) = (Int(hash &>> 56), SeededHash.of(id))
        guard keepsIDs || evicted[bucket][key] ?? ended[bucket][key] != nil else { return false }
        counts.keptBack += 1
        let bytes = copy id
        note(bucket, key, stamp, isDelete: isDelete) {
            guard let text = try? UTF8Span(validating: bytes) else { return nil }
            return String(copying: text)
        }
        return true
    }

    private mutating func note(_ bucket: Int, _ key: UInt64, _ stamp: Stamp, isDelete: Bool, id: () -> String?) {
        // The names of two publishers that wrote at one stamp decide, and are not kept: the model counts as one that
        // exists, and a fetch tells.
        if let end = ended[bucket][key], stamp < end || (isDelete && stamp == end) { return }
        if let last = evicted[bucket][key], stamp <= last { return }
        if isDelete {
            remove(bucket, key)
            if ended[bucket].updateValue(stamp, forKey: key) == nil { endedCount += 1 }
        } else {
            // A model that was ended exists again, and only a part of it has come here: it counts as evicted now.
            if endedCount > 0, ended[bucket].removeValue(forKey: key) != nil { endedCount -= 1 }
            add(bucket, key, stamp, id: id)
        }
    }

    private mutating func noteBlindly(_ hash: UInt64, _ id: Span<UInt8>, _ stamp: Stamp, isDelete: Bool) -> Bool {
        counts.keptBack += 1
        guard isDelete || endedCount > 0 else { return true }
        let (bucket, key) = (Int(hash &>> 56), SeededHash.of(id))
        let last = ended[bucket][key]
        guard isDelete ? stamp > last ?? 0 : stamp >= last ?? 0 else { return true }
        ended[bucket][key] = isDelete ? stamp : nil
        endedCount += (isDelete ? 1 : 0) - (last == nil ? 0 : 1)
        return true
    }

    /// Forgets deletes that are older than a stamp.
    /// - Parameter buckets: the buckets to search, within 0..<256.
    mutating func dropEnded(_ buckets: Range<Int>, olderThan stamp: Stamp) {
        // No delete that is told from now on is older.
        for bucket in buckets where later[bucket].contains(where: { $0.value < stamp }) {
            later[bucket] = later[bucket].filter { $0.value >= stamp }
        }
        guard endedCount > 0 else { return }
        for bucket in buckets where ended[bucket].contains(where: { $0.value < stamp }) {
            endedCount -= ended[bucket].count
            // A new table, so that the old one's room is given back.
            ended[bucket] = ended[bucket].filter { $0.value >= stamp }
            endedCount += ended[bucket].count
        }
    }

    // MARK: Ids

    /// Hands out the ids of evicted models, where they are kept.
    func forEachID(_ body: (String) -> Void) { ids.forEach(body) }

    /// Takes over what another list knows of a bucket, which was made anew meanwhile; what this one knows is joined to
    /// it where it is younger than `young`, for a delete of such a model would be remembered there.
    mutating func renew(_ bucket: Int, from other: AbsentModels, young: Stamp) {
        guard count + endedCount + other.count + other.endedCount > 0 else { return }
        let former = (evicted: evicted[bucket], ended: ended[bucket], ids: ids[bucket])
        count += other.evicted[bucket].count - former.evicted.count
        endedCount += other.ended[bucket].count - former.ended.count
        (evicted[bucket], ended[bucket], ids[bucket]) = (other.evicted[bucket], other.ended[bucket], other.ids[bucket])
        later[bucket] = later[bucket].filter { $0.value >= young }
        for (key, stamp) in former.evicted where stamp >= young {
            note(bucket, key, stamp, isDelete: false) { former.ids[key] }
        }
        for (key, stamp) in former.ended where stamp >= young { note(bucket, key, stamp, isDelete: true) { nil } }
    }

    // MARK: On the way back

    /// From now on all that comes of the model is kept until ``endArrival(_:_:)``.
    mutating func beginArrival(_ id: ExactText) { arriving[id] = .some(arriving[id] ?? nil) }

    /// The model is here again, or does not exist.
    /// - Parameter isSure: one of which nothing has come does not exist; otherwise it stays as it was.
    /// - Returns: all that has come of it since its arrival began.
    mutating func endArrival(_ id: ExactText, _ hash: UInt64, isSure: Bool) -> CellRecord? {
        let found = arriving.removeValue(forKey: id) ?? nil
        guard isSure || found != nil else { return nil }
        let (bucket, key) = (Int(hash &>> 56), SeededHash.of(id.text.utf8.span))
        if isLazy, let found, !found.exists {
            remove(bucket, key)
            _ = note(hash, found.idBytes, found.lastStamp, isDelete: true)
            return nil
        }
        if let end = ended[bucket][key] {
            // The delete is remembered, as senders may have forgotten it.
            guard let found, found.lastStamp > end else { return nil }
            ended[bucket][key] = nil
            endedCount -= 1
        } else {
            remove(bucket, key)
        }
        return found
    }

    /// Gives the arrival up: the model stays evicted, and what has come of it is dropped.
    mutating func cancelArrival(_ id: ExactText) { arriving[id] = nil }

    /// Joins a record to what has come of an arriving model. Others are left alone.
    mutating func keep(_ record: CellRecord, plan: inout MergePlan) {
        guard !arriving.isEmpty else { return }
        let id = ExactText(record.id)
        if let known = arriving[id], let more = CellRecord.joining(record, to: known, plan: &plan).record {
            arriving[id] = .some(more)
        }
    }
}

extension Dictionary {
    /// Gives most of the room back where little of it is taken.
    fileprivate mutating func giveBackRoom() {
        if capacity > 64, count < capacity / 8 { self = filter { _ in true } }
    }
}
