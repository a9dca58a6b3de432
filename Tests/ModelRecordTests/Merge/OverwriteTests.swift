import ModelReference
import TestSupport
import Testing

@_spi(RecordWriting) @testable import ModelRecord

/// Merges that are newer than all of a record: most of them only exchange values, which has a way of its own. Against
/// the reference, which knows no such thing.
struct OverwriteTests {
    /// Lengths around those where a head grows and where words end, equal beginnings among them.
    private static let names = [
        "f", "g", "seven77", "eight888", "eight889", "eight8888", "eight8889", "a-name-of-23-bytes-xxxx",
        "a-name-of-24-bytes-xxxx-", "a-name-of-24-bytes-xxxy-", "a-name-of-25-bytes-xxxx-y", "é",
        "field_0", "field_1", "field_2", "field_3", "field_4", "field_5", "field_6",
    ]
    private static let values: [[UInt8]] = {
        let texts = [0, 1, 6, 7, 8, 15, 16, 22, 23, 24, 300].map { Value.text(String(repeating: "v", count: $0)) }
        let others: [Value] = [
            .null, .undefined, true, 0, -1, 23, 24, 300, 70_000, 5_000_000_000, 1.5, 0.1, .text("wwwwwwww"),
            .text("wwwwwwwv"), .bytes([1, 2, 3]), [1, "two", nil], ["k": 1], .timestamp(1.25),
        ]
        return (texts + others).map(\.encoded)
    }()
    private static let origins = [
        "a", "b", "eight-88", "publisher", "publisheR", "the-name-of-an-origin-past-23-bytes",
    ]

    @Test func `updates that mostly rise give the state of the reference, and tell what they wrote`() throws {
        forEachSeed(50_000, from: 2_000_000) { _, generator in
            var plan = MergePlan()
            var record: CellRecord?
            var state = ReferenceState()
            var stamp: UInt64 = UpdateMix.one(of: [0, 20, 250, 65_530, 0xFFFF_FFF0, 1 << 60], &generator)
            let names = Array(Self.names.shuffled(using: &generator).prefix(.random(in: 1...19, using: &generator)))
            for step in 0..<Int.random(in: 2...12, using: &generator) {
                let isLate = Int.random(in: 0..<8, using: &generator) == 0
                stamp += UInt64.random(in: 0...3, using: &generator)
                let version = ReferenceVersion(
                    stamp: isLate ? stamp - min(stamp, 4) : stamp, origin: UpdateMix.one(of: Self.origins, &generator))
                let operation = step == 0 ? .merge : Self.operation(&generator)
                var update = ReferenceUpdate(operation: operation, version: version, fields: [:])
                if operation != .delete {
                    let share = step == 0 ? names.count : .random(in: 0...names.count, using: &generator)
                    for name in names.shuffled(using: &generator).prefix(share) {
                        let value = state.cells[name]?.content
                        let keeps = Int.random(in: 0..<4, using: &generator) == 0
                        update.fields[name] = keeps ? value : UpdateMix.one(of: Self.values, &generator)
                    }
                }
                // An origin keeps what is equal in merges that are newer than what it has.
                let isNewest = state.touched.map { version > $0 } ?? true
                let keepsEqual = operation == .merge && state.exists && isNewest && Bool.random(using: &generator)
                try apply(update, to: &record, &state, &plan, keepsEqual: keepsEqual)
            }
        }
    }

    private static func operation(_ generator: inout SeededGenerator) -> ReferenceOperation {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: .delete
        case 1: .replace
        default: .merge
        }
    }

    private func apply(
        _ update: ReferenceUpdate, to record: inout CellRecord?, _ state: inout ReferenceState, _ plan: inout MergePlan,
        keepsEqual: Bool
    ) throws {
        let before = state
        var left = update
        if keepsEqual {
            left.fields = update.fields.filter { field, value in
                let known = before.cells[field]?.content
                return known != value && (known != nil || value != [0xF7])
            }
        }
        let isNothing = keepsEqual && left.fields.isEmpty
        let conflicts = isNothing ? 0 : state.apply(left)
        let encoded = EncodedUpdate(update, id: "model-42")
        let result = encoded.apply(to: record, plan: &plan, keepingEqual: keepsEqual)
        try demand(result.conflictingCells == conflicts, "\(result.conflictingCells) conflicts, not \(conflicts)")
        try demand((result.record != nil) == (state != before), "a record without a change, or a change without one")
        try demand(result.isVisible == (state.visible != before.visible), "isVisible is \(result.isVisible)")
        let delta = state.digest(id: "model-42") &- before.digest(id: "model-42")
        try demand(result.digestDelta == delta, "the digest changes by something else")
        if keepsEqual {
            let pairs = EncodedUpdate(left, id: "").bytes
            var written: [UInt8] = []
            let fields = encoded.bytes[8...].map { $0 }
            let count = result.record == nil ? 0 : plan.appendWritten(of: fields.span, to: &written)
            try demand(count == left.fields.count && written == pairs, "\(count) pairs are told of: \(written)")
        }
        guard let changed = result.record else { return }
        // The memory of the one before serves for the next one, as in a cache.
        if let byteCount = record?.byteCount {
            let isTaken = SpareRecordsTests.giveBack(&record, to: &plan)
            try demand(isTaken || byteCount > 1_500, "nobody else has the record, and it is not large")
        }
        record = changed
        let expected = state.encoded(id: "model-42")
        try demand(changed.array == expected, "the bytes are\n\(changed.array)\nnot\n\(expected)")
        try demand(changed.exists == state.exists && changed.cellCount == state.cells.count, "the header differs")
        try demand(changed.digest == state.digest(id: "model-42"), "the digest differs")
        let copy = try CellRecord(bytes: changed.array)
        try demand(copy == changed && copy.touched == changed.touched, "decoded it is another record")
        try demand(
            changed.storage.places == copy.storage.places, "cells begin at \(changed.storage.places), it is thought")
    }

    @Test func `what a plan remembers of other records does not mislead it`() throws {
        forEachSeed(500, from: 3_000_000) { _, generator in
            // One plan for records that have the same names in other cells.
            var plan = MergePlan()
            var records = [CellRecord?](repeating: nil, count: 6)
            var states = [ReferenceState](repeating: ReferenceState(), count: records.count)
            for stamp in 1...120 as ClosedRange<UInt64> {
                let index = Int.random(in: 0..<records.count, using: &generator)
                let version = ReferenceVersion(stamp: stamp, origin: UpdateMix.one(of: Self.origins, &generator))
                var update = ReferenceUpdate(operation: .merge, version: version, fields: [:])
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let name = UpdateMix.one(of: Self.names, &generator)
                    update.fields[name] = UpdateMix.one(of: Self.values, &generator)
                }
                try apply(update, to: &records[index], &states[index], &plan, keepsEqual: false)
            }
        }
    }

    @Test(arguments: [1_024, 1_025])
    func `a model of many fields is overwritten like any other`(count: Int) {
        var model = Model()
        let names = (0..<count).map { "f\($0)" }
        model.merge(1.by("a"), Fields(Dictionary(uniqueKeysWithValues: names.map { ($0, 0) })))
        for (step, name) in ["f0", names[count - 1], "f600", names[count - 1]].enumerated() {
            model.merge((step + 2).by("a"), [name: .int(Int64(step + 1))])
        }
        #expect(model["f0"] == 1)
        #expect(model[names[count - 1]] == 4)
        #expect(model["f600"] == 3)
        #expect(names.count { model[$0] == 0 } == count - 3)
    }

    @Test func `a merge without fields raises touched and nothing else`() {
        var model = Model()
        model.merge(1.by("a"), ["f": 1])
        model.merge((1 << 40).by("other"), [:])
        #expect(model.record?.touched == (1 << 40).by("other"))
        #expect(model.record?.version(of: "f") == 1.by("a"))
        #expect(model.last?.isVisible == false)
    }

    @Test func `values may grow past 64 KiB and shrink again`() {
        var model = Model()
        model.merge(1.by("a"), ["before": 1, "f": "", "then": 2])
        for (step, size) in [3, 70_000, 3, 0, 65_400, 70_000, 300].enumerated() {
            model.merge((step + 2).by("a"), ["f": .text(String(repeating: "x", count: size))])
            #expect(model["f"] == .text(String(repeating: "x", count: size)))
            #expect(model["before"] == 1)
            #expect(model["then"] == 2)
        }
    }
}
