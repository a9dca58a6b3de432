import ModelRecord
import ModelReference
import ModelWire

extension ModelKey {
    /// The model's topic, as if every type had 256 partitions. Prefixes of requests select by it.
    var topic: Topic {
        .data(type: type, partitions: .twoHundredFiftySix, bucket: Fingerprint.bucket(idHash: Fingerprint.fnv(id)))
    }
}

/// One update as it stood in a frame.
struct PublishedUpdate {
    let operation: UpdateOperation
    let version: Version
    /// The index of its model in ``Oracle/models``.
    let model: Int
    /// Names and encoded values.
    let fields: [String: [UInt8]]
    /// The pushed batch that it came in, an index of ``Oracle/pushes``; nil for what a publisher has sent.
    var push: Int?
    /// The update may be lost with the one process that had it: copies may hold it or not.
    var isAtRisk = false

    /// True when the update removes a field.
    var removesFields: Bool { fields.values.contains(where: \.isRemoval) }

    /// True when the update removes one of these fields.
    func removes(anyOf others: [String: [UInt8]]) -> Bool {
        fields.contains { field, value in value.isRemoval && others[field] != nil }
    }
}

/// The facts that the frame of a batch tells about it.
struct BatchFacts {
    let origin: String
    let incarnation: UInt64
    let sequence: UInt64
    let stamp: Stamp
    let updateCount: Int
}

/// Knows everything that was ever published, and what every copy must hold at rest.
struct Oracle {
    /// The batches that become visible in one step: one alone, or those of a transaction.
    struct Step {
        let origin: String
        /// The topics of a transaction over several; empty for a batch that stands alone.
        let topics: [Topic]
        var updates: [Int] = []
        /// A node has given the transaction up in part, as it may: see ``Oracle/tear(where:)``.
        var isTorn = false
    }

    private struct StepKey: Hashable {
        let origin: String
        let stamp: Stamp
    }

    /// Every model of which an update was published.
    private(set) var models: [ModelKey] = []
    var updates: [PublishedUpdate] = []
    var steps: [Step] = []
    /// The step of each update, by its version.
    private(set) var stepByVersion: [Version: Int] = [:]
    /// The greatest stamp of each origin.
    private(set) var lastStamp: [String: Stamp] = [:]
    /// The stamp and heads that each origin has sent last.
    var lastSent: [String: LastSent] = [:]
    /// Origins that have published batches of more than one start.
    var startedAnew: Set<String> = []
    /// Every batch that a job has handed over to be pushed.
    var pushes: [PushedBatch] = []
    /// The index in ``pushes`` of each pushed batch.
    var pushByID: [BatchID: Int] = [:]
    private(set) var batchCount = 0
    private var modelByKey: [ModelKey: Int] = [:]
    private var stepByKey: [StepKey: Int] = [:]
    private var updatesByOrigin: [String: [Int]] = [:]
    /// Some update is at risk or may get there, so what a copy must hold may be less than what it can hold.
    var hasRisk = false
    /// For each relay the relays from which it hears, by node, itself among them.
    var relays: [Set<Int>] = []
    /// How long deleted models are remembered.
    var retentionMilliseconds: UInt64 = 24 * 3_600_000
    /// Deleted models are forgotten while the simulation runs.
    var isForgetful = false

    /// Notes a batch that leaves its publisher.
    /// - Parameter isPushed: the batch leaves a job.
    /// - Returns: nil for bytes that are no batch.
    mutating func note(topic: Topic, payload: [UInt8], isPushed: Bool = false) -> BatchFacts? {
        guard let type = topic.type, let frame = PlainItem(payload), frame.children.count >= 6,
            let facts = BatchFacts(frame)
        else { return nil }
        batchCount += 1
        noteLast(facts, topic: topic)
        let key = StepKey(origin: facts.origin, stamp: facts.stamp)
        let step = stepByKey[key] ?? steps.count
        if step == steps.count {
            steps.append(Step(origin: facts.origin, topics: Oracle.group(frame, payload)))
            stepByKey[key] = step
        }
        let first = updates.count
        for item in frame.children[5].children { note(item, payload, type: type, facts: facts, step: step) }
        if isPushed { notePush(facts, topic: topic, updates: first..<updates.count) }
        return facts
    }

    /// The topics that a batch names as its transaction's.
    static func group(_ frame: PlainItem, _ payload: [UInt8]) -> [Topic] {
        guard frame.children.count > 6 else { return [] }
        return frame.children[6].children.map { Topic(bytes: $0.content(of: payload)) }
    }

    private mutating func note(_ item: PlainItem, _ payload: [UInt8], type: String, facts: BatchFacts, step: Int) {
        let parts = item.children
        guard parts.count >= 4, let code = parts[0].unsigned, let operation = UpdateOperation(rawValue: code),
            let offset = parts[1].unsigned, let id = parts[2].text
        else { return }
        var fields: [String: [UInt8]] = [:]
        let pairs = parts[3].children
        for index in stride(from: 0, to: pairs.count, by: 2) {
            guard let field = pairs[index].text else { continue }
            fields[field] = Array(payload[pairs[index + 1].range])
        }
        let version = Version(stamp: facts.stamp + offset, origin: facts.origin)
        let update = PublishedUpdate(
            operation: operation, version: version, model: model(ModelKey(type: type, id: id)), fields: fields)
        steps[step].updates.append(updates.count)
        stepByVersion[version] = step
        updatesByOrigin[facts.origin, default: []].append(updates.count)
        lastStamp[facts.origin] = max(lastStamp[facts.origin] ?? 0, version.stamp)
        updates.append(update)
    }

    private mutating func model(_ key: ModelKey) -> Int {
        if let known = modelByKey[key] { return known }
        models.append(key)
        modelByKey[key] = models.count - 1
        return models.count - 1
    }

    /// How many updates of an origin have been published.
    func updateCount(of origin: String) -> Int { updatesByOrigin[origin]?.count ?? 0 }

    /// The origin has crashed, and only its first `count` updates are on its disk.
    mutating func lose(origin: String, after count: Int) {
        for index in (updatesByOrigin[origin] ?? []).dropFirst(count) {
            updates[index].isAtRisk = true
            hasRisk = true
        }
    }

    /// Nobody has taken what the origin wrote with greater stamps than this.
    mutating func lose(origin: String, above stamp: Stamp) {
        var greatest: Stamp?
        for index in updatesByOrigin[origin] ?? [] {
            if updates[index].version.stamp > stamp {
                updates[index].isAtRisk = true
                hasRisk = true
            } else {
                greatest = max(greatest ?? 0, updates[index].version.stamp)
            }
        }
        lastStamp[origin] = greatest
    }

    /// By model: what a copy must hold, and the most that it can hold.
    /// - Parameter relays: the relays from which the copy hears, directly or through others, and itself where it is
    ///   one.
    func expectation(hearing relays: Set<Int>) -> [(least: OracleModel, most: OracleModel)] {
        var result = [(least: OracleModel, most: OracleModel)](
            repeating: (OracleModel(), OracleModel()), count: models.count)
        for update in updates {
            if isRequired(update, hearing: relays) { result[update.model].least.apply(update) }
            if hasRisk { result[update.model].most.apply(update) }
        }
        if !hasRisk { for index in result.indices { result[index].most = result[index].least } }
        return result
    }

    /// True when a forgotten delete or removal leaves nothing of the update: it is one itself, or a later update has
    /// deleted, replaced or removed what it has written.
    func isForgettable(_ update: PublishedUpdate) -> Bool {
        update.operation == .delete || update.removesFields
            || updates.contains { other in
                other.model == update.model && other.version > update.version
                    && (other.operation != .merge || other.removes(anyOf: update.fields))
            }
    }

    /// True when the model was deleted or replaced after this version, or lost fields.
    func isDeleted(_ key: ModelKey, after version: Version) -> Bool {
        updates.contains {
            ($0.operation != .merge || $0.removesFields) && $0.version > version && models[$0.model] == key
        }
    }

    /// True when the update with this version cannot be lost.
    ///
    /// Where deletes are forgotten, every relay must have the update or hear from one that has: a model that only some
    /// relays have deleted is handed out by the others for ever. A relay must have it while the delete is remembered,
    /// as from a relay that learns of it later the others have taken the model back by then. Half of the retention is
    /// left for what is under way between relays.
    func isSafe(_ version: Version) -> Bool {
        guard let step = stepByVersion[version] else { return false }
        return steps[step].updates.contains { index in
            let update = updates[index]
            return update.version == version && !update.isAtRisk
                && update.push.map { isSafe(pushes[$0]) } ?? true
        }
    }

    private func isSafe(_ push: PushedBatch) -> Bool {
        guard isForgetful else { return !push.holders.isEmpty }
        let holders = push.holders.intersection(push.timely)
        return relays.allSatisfy { !$0.isDisjoint(with: holders) }
    }

    /// The models with a delete, replace or removal that may be lost. Once it is forgotten where it was known, copies
    /// may hold what it had deleted or not.
    var modelsWithRiskyFloors: Set<Int> {
        var models: Set<Int> = []
        for update in updates where update.operation != .merge || update.removesFields {
            if !isSafe(update.version) { models.insert(update.model) }
        }
        return models
    }

    /// True when some update of the model may be lost with an origin that had not stored it.
    func isAtRisk(_ model: Int) -> Bool { updates.contains { $0.model == model && $0.isAtRisk } }

    /// True when every cell was published with this value and version.
    func knows(_ state: OracleModel, of model: Int) -> Bool {
        state.cells.allSatisfy { field, cell in
            guard let step = stepByVersion[cell.version] else { return false }
            return steps[step].updates.contains { index in
                let update = updates[index]
                return update.version == cell.version && update.model == model
                    && update.fields.contains { $0.key == field && $0.value == cell.content }
            }
        }
    }
}

extension BatchFacts {
    /// The facts of a frame; nil when it is no batch.
    init?(_ frame: PlainItem) {
        guard frame.children.count >= 6, frame.children[0].unsigned == 0, let origin = frame.children[1].text,
            let incarnation = frame.children[2].unsigned, let sequence = frame.children[3].unsigned,
            let stamp = frame.children[4].unsigned
        else { return nil }
        self.init(
            origin: origin, incarnation: incarnation, sequence: sequence, stamp: stamp,
            updateCount: frame.children[5].children.count)
    }
}
