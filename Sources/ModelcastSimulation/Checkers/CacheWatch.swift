@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelReference
import ModelWire

/// Watches one copy while its process lives: after each event that changed it, nothing may have gone back, and no
/// batch or transaction may show in part.
struct CacheWatch {
    private let isObserved: Bool
    /// The records at the last look, by the index of the oracle's models.
    private var seen: [CellRecord?] = []
    private(set) var commitNumber: UInt64 = 0
    private(set) var observer: ObserverWatch?
    /// The models, by the index of the oracle's, that have left the copy for its limits.
    private var hasLeft: Set<Int> = []
    /// The batches of streams that this process has applied.
    private var applied: Set<AppliedBatch> = []
    /// By model: the greatest floor with which it was seen deleted. An entry stays when the delete is forgotten, and
    /// when the copy is built anew.
    private var deleted: [Int: Version] = [:]
    /// By model and field: the greatest version with which the field was seen removed. An entry stays as in
    /// ``deleted``.
    private var removed: [Int: [String: Version]] = [:]
    /// The batches that this process has accepted, of any start of their origin.
    var acceptedCount: UInt64 = 0
    /// How many incomplete transactions the replica had given up at the last look.
    var incompleteCount: UInt64 = 0

    private struct AppliedBatch: Hashable {
        let origin: String
        let incarnation: UInt64
        let topic: [UInt8]
        let sequence: UInt64
    }

    init(isObserved: Bool) { self.isObserved = isObserved }

    /// The process has started with this copy.
    mutating func start(_ cache: ModelCache, label: String) {
        seen = []
        hasLeft = []
        commitNumber = 0
        applied = []
        deleted = [:]
        removed = [:]
        acceptedCount = 0
        incompleteCount = 0
        observer = isObserved ? ObserverWatch(cache, label: label) : nil
    }

    /// Forgets the last look: the copy was built anew, and the next look has nothing to compare it with. It comes at
    /// once, also where nothing has changed: what the copy holds then has come as records, and not by a later batch.
    mutating func forget() {
        seen = []
        hasLeft = []
        commitNumber = .max
    }

    mutating func stop() {
        observer?.stop()
        observer = nil
    }

    /// Notes a batch of a stream that the machine has applied.
    /// - Returns: the fault, if it was applied before.
    mutating func apply(_ batch: BatchFacts, topic: [UInt8]) -> String? {
        let key = AppliedBatch(
            origin: batch.origin, incarnation: batch.incarnation, topic: topic, sequence: batch.sequence)
        guard !applied.insert(key).inserted else { return nil }
        return "\(Topic(bytes: topic)) #\(batch.sequence) of \(batch.origin) was applied twice"
    }

    /// Checks what has changed since the last look.
    /// - Parameters:
    ///   - takes: whether the copy subscribes to a model.
    ///   - isWhole: whether the copy must show all of a step or nothing of it.
    ///   - isLate: whether a version may be merged though it is older than what was deleted and forgotten.
    /// - Returns: the first fault.
    mutating func look(
        _ cache: ModelCache, oracle: Oracle, takes: (ModelKey) -> Bool, isWhole: (Oracle.Step) -> Bool,
        isLate: (Version) -> Bool
    ) -> String? {
        func isAway(_ key: ModelKey) -> Bool { cache.hasLeft(key.type, key.id) }
        let current = cache.snapshot().commitNumber
        guard current != commitNumber else { return nil }
        commitNumber = current
        while seen.count < oracle.models.count { seen.append(nil) }
        var steps: Set<Int> = []
        for index in oracle.models.indices {
            let key = oracle.models[index]
            let record = cache.record(type: key.type, id: key.id, includingTombstones: true)
            guard let record else {
                guard let old = seen[index] else { continue }
                // What has left a copy for its limits is compared with what it was when it comes back.
                if isAway(key) {
                    hasLeft.insert(index)
                    continue
                }
                seen[index] = nil
                // Its delete may be forgotten meanwhile, or its write lost.
                if hasLeft.remove(index) != nil { continue }
                if old.exists { return "\(key) is gone without a delete" }
                continue
            }
            if let old = seen[index], old.isIdentical(to: record) { continue }
            let isBack = hasLeft.remove(index) != nil
            if let fault = resurrection(of: index, record, oracle, isLate) { return fault }
            if let fault = returned(of: index, record, oracle) { return fault }
            if let fault = compare(seen[index], record, key, isBack: isBack, oracle, &steps) { return fault }
            seen[index] = record
        }
        return half(steps.filter { isWhole(oracle.steps[$0]) }.sorted(), cache, oracle) { takes($0) && !isAway($0) }
    }

    /// Checks that a model that was seen deleted comes back by a later write only, also when the delete was forgotten
    /// meanwhile. A delete that may be lost with its writer does not count.
    private mutating func resurrection(
        of model: Int, _ record: CellRecord, _ oracle: Oracle, _ isLate: (Version) -> Bool
    ) -> String? {
        if record.exists {
            guard let floor = deleted[model], record.touched.map({ $0 < floor && !isLate($0) }) ?? true,
                oracle.isSafe(floor)
            else { return nil }
            return "\(oracle.models[model]) has come back, deleted by \(floor)"
        }
        if let floor = record.floor { deleted[model] = max(deleted[model] ?? floor, floor) }
        return nil
    }

    /// Checks that a field that was seen removed comes back by a later write only.
    private mutating func returned(of model: Int, _ record: CellRecord, _ oracle: Oracle) -> String? {
        for cell in record.cells {
            let last = removed[model]?[cell.field]
            if cell.value == .undefined {
                removed[model, default: [:]][cell.field] = max(last ?? cell.version, cell.version)
            } else if let last, cell.version < last, oracle.isSafe(last) {
                return "\(cell.field) of \(oracle.models[model]) has come back as \(cell.version), removed by \(last)"
            }
        }
        return nil
    }

    /// Checks that no version went back, and that cells are gone only below the floor of a delete or replace. The steps
    /// of new versions are added to `steps`.
    /// - Parameter isBack: the model had left the copy. What its writer has lost meanwhile does not come back, nor what
    ///   was deleted by a delete that is forgotten.
    private func compare(
        _ old: CellRecord?, _ new: CellRecord, _ key: ModelKey, isBack: Bool, _ oracle: Oracle, _ steps: inout Set<Int>
    ) -> String? {
        func mayBeLost(_ version: Version) -> Bool {
            isBack && (!oracle.isSafe(version) || (oracle.isForgetful && oracle.isDeleted(key, after: version)))
        }
        var before: [String: Version] = [:]
        // A removed field may be forgotten, so it may be gone without a floor.
        var forgettable: Set<String> = []
        if let old {
            if let floor = old.floor, new.floor.map({ $0 < floor }) ?? true, !mayBeLost(floor),
                !isBack || !oracle.isForgetful
            {
                return "the floor of \(key) went back from \(floor) to \(new.floor.map { "\($0)" } ?? "none")"
            }
            if let touched = old.touched, new.touched.map({ $0 < touched }) ?? true, !mayBeLost(touched) {
                return "the touched of \(key) went back from \(touched) to \(new.touched.map { "\($0)" } ?? "none")"
            }
            for cell in old.cells {
                before[cell.field] = cell.version
                if oracle.isForgetful, cell.value == .undefined { forgettable.insert(cell.field) }
            }
        }
        let floor = new.floor
        for cell in new.cells {
            let was = before.removeValue(forKey: cell.field)
            guard was != cell.version else { continue }
            if let was, was > cell.version, !mayBeLost(was) {
                return "\(cell.field) of \(key) went back from \(was) to \(cell.version)"
            }
            if let step = oracle.stepByVersion[cell.version] { steps.insert(step) }
        }
        for (field, version) in before where floor.map({ version >= $0 }) ?? true {
            if forgettable.contains(field) || mayBeLost(version) { continue }
            return "\(field) of \(key) is gone, version \(version)"
        }
        return nil
    }

    /// The fault of the first of these steps that shows in part.
    private func half(
        _ steps: [Int], _ cache: ModelCache, _ oracle: Oracle, _ takes: (ModelKey) -> Bool
    ) -> String? {
        for step in steps {
            if oracle.steps[step].isTorn { continue }
            for index in oracle.steps[step].updates {
                let update = oracle.updates[index]
                let key = oracle.models[update.model]
                // An update that was lost with its origin never comes; the rest of its step shows without it.
                guard takes(key), !update.isAtRisk else { continue }
                let record = cache.record(type: key.type, id: key.id, includingTombstones: true)
                let state = record.map { OracleModel($0) } ?? OracleModel()
                // A delete or removal that is forgotten has left nothing behind, and neither has what it removed.
                guard state.holds(update) || (oracle.isForgetful && oracle.isForgettable(update)) else {
                    return "a step of \(oracle.steps[step].updates.count) updates shows in part: "
                        + "\(key) lacks \(update.version)"
                }
            }
        }
        return nil
    }
}
