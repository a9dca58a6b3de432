@_spi(RecordWriting) import ModelRecord
import ModelReference
import TestSupport

/// What one random case is made of: few ids, stamps, origins, fields and values, so that they collide often.
struct UpdateMix {
    struct Step {
        /// Index of the model in ``ids``.
        var model: Int
        var update: ReferenceUpdate
        var encoded: EncodedUpdate
    }

    private(set) var ids: [String]
    private(set) var steps: [Step] = []
    private let origins: [String]
    private let stamps: [UInt64]
    private let fields: [String]
    private let values: [[UInt8]]
    /// Each version writes one thing, as with correct origins; otherwise equal versions may conflict.
    private let isCorrect: Bool
    private var written: [String: ReferenceUpdate] = [:]

    init(_ generator: inout SeededGenerator, updates: ClosedRange<Int> = 1...9) {
        ids = Self.some(of: ["a", "model-42", "ä€😀"], 1...2, &generator)
        origins = Self.some(of: ["a", "ab", "b", "B", "the-name-of-an-origin-past-23-bytes"], 1...4, &generator)
        stamps = Self.some(of: Self.allStamps, 2...5, &generator)
        fields = Self.some(of: ["f", "g", "é", "address.city", "a-field-with-a-name-past-23-bytes"], 1...4, &generator)
        values = Self.some(of: Self.allValues, 2...6, &generator)
        isCorrect = .random(using: &generator)
        for _ in 0..<Int.random(in: updates, using: &generator) { addStep(&generator) }
    }

    /// The records that the updates leave.
    var records: [CellRecord] {
        var models = ids.map { _ in Model() }
        for step in steps { models[step.model].apply(step.encoded) }
        return models.compactMap(\.record)
    }

    private mutating func addStep(_ generator: inout SeededGenerator) {
        let model = Int.random(in: ids.indices, using: &generator)
        let version = ReferenceVersion(
            stamp: Self.one(of: stamps, &generator), origin: Self.one(of: origins, &generator))
        let kinds: [ReferenceOperation] = [.merge, .merge, .merge, .replace, .replace, .delete]
        var update = ReferenceUpdate(operation: Self.one(of: kinds, &generator), version: version, fields: [:])
        if update.operation != .delete {
            for field in fields where Bool.random(using: &generator) {
                update.fields[field] = Self.one(of: values, &generator)
            }
        }
        if isCorrect {
            let key = "\(model) \(version)"
            update = written[key] ?? update
            written[key] = update
        }
        steps.append(Step(model: model, update: update, encoded: EncodedUpdate(update, id: ids[model])))
    }

    /// Low numbers, and those at which a head grows.
    private static let allStamps: [UInt64] = [
        0, 1, 2, 3, 23, 24, 255, 256, 65_535, 65_536, 0xFFFF_FFFF, 0x1_0000_0000, 1 << 63, .max,
    ]

    /// Null, undefined, and values of every type and of several sizes.
    private static let allValues: [[UInt8]] = {
        let values: [Value] = [
            .null, .null, .undefined, .undefined, true, 0, 1, -1, 24, 300, 1.5, 0.1, "", "x",
            .text(String(repeating: "t", count: 24)), .bytes([UInt8](repeating: 7, count: 260)), [1, "two", nil],
            ["k": 1, "longer": [:]], .uri("https://example.org"), .timestamp(1.25), .tagged(99, encoded: [0x01]),
        ]
        return values.map(\.encoded)
    }()

    static func one<T>(of list: [T], _ generator: inout SeededGenerator) -> T {
        list[Int.random(in: list.indices, using: &generator)]
    }

    private static func some<T>(of list: [T], _ count: ClosedRange<Int>, _ generator: inout SeededGenerator) -> [T] {
        Array(list.shuffled(using: &generator).prefix(Int.random(in: count, using: &generator)))
    }
}

/// The records of a case and, beside them, what the reference makes of the same updates.
struct Pairing {
    let ids: [String]
    private(set) var records: [CellRecord?]
    private(set) var states: [ReferenceState]
    /// The sum of all digest changes that were told, per model.
    private var digests: [UInt64]
    private let scratch = Scratch()

    init(ids: [String]) {
        self.ids = ids
        records = ids.map { _ in nil }
        states = ids.map { _ in ReferenceState() }
        digests = ids.map { _ in 0 }
    }

    mutating func apply(_ step: UpdateMix.Step) throws {
        let before = states[step.model]
        let conflicts = states[step.model].apply(step.update)
        let result = step.encoded.apply(to: records[step.model], plan: &scratch.plan)
        try take(result, step.model, before: before, conflicts: conflicts)
    }

    mutating func join(_ other: Pairing) throws {
        for (model, record) in other.records.enumerated() {
            guard let record else { continue }
            let before = states[model]
            let conflicts = states[model].join(other.states[model])
            let result = CellRecord.joining(record, to: records[model], plan: &scratch.plan)
            try take(result, model, before: before, conflicts: conflicts)
        }
    }

    /// Encodes and decodes every record.
    mutating func roundTrip() throws {
        records = try records.map { try $0.map { try CellRecord(bytes: $0.array) } }
    }

    /// Forgets removed fields, in the records and in what the reference has.
    mutating func forget(olderThan stamp: Stamp) throws {
        for model in ids.indices {
            states[model].forgetRemovedFields(olderThan: stamp)
            guard let record = records[model] else { continue }
            let less = record.forgettingRemovedFields(olderThan: stamp, plan: &scratch.plan) ?? record
            try demand(less.array == states[model].encoded(id: ids[model]), "\(less) has forgotten something else")
            try demand(less.digest == record.digest, "the digest changes as \(less) forgets")
            try demand(!less.isVisiblyDifferent(from: record), "a reader sees that \(less) forgets")
            records[model] = less
        }
    }

    /// What readers see, and the digests.
    var seen: [String] {
        zip(ids, zip(records, states)).map { id, pair in
            let fields = pair.1.visible.map { $0.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } }
            return "\(id) \(String(describing: fields)) \(pair.0?.digest ?? 0)"
        }
    }

    private mutating func take(
        _ result: MergeResult, _ model: Int, before: ReferenceState, conflicts: Int
    ) throws {
        let state = states[model]
        try demand(result.conflictingCells == conflicts, "\(result.conflictingCells) conflicts, not \(conflicts)")
        try demand((result.record != nil) == (state != before), "a record without a change, or a change without one")
        try demand(result.isVisible == (state.visible != before.visible), "isVisible is \(result.isVisible)")
        if let changed = result.record { records[model] = changed }
        guard let record = records[model] else { throw CaseFailure("no record after an update") }
        let expected = state.encoded(id: ids[model])
        try demand(record.array == expected, "the bytes are\n\(record.array)\nnot\n\(expected)")
        try demand(record.exists == state.exists, "exists is \(record.exists)")
        try demand(record.idHash == fnv1a(ids[model]), "the hash of the id differs")
        digests[model] &+= result.digestDelta
        let digest = state.digest(id: ids[model])
        try demand(record.digest == digest, "the digest differs")
        try demand(digests[model] == digest, "the digest's changes do not add up")
    }
}

func demand(_ holds: Bool, _ failure: @autoclosure () -> String) throws {
    if !holds { throw CaseFailure(failure()) }
}
