import TestSupport
import Testing

@_spi(RecordWriting) @testable import ModelRecord

/// What records were before they were written over.
struct UndoLogTests {
    private static let names = ["a", "b", "c", "eight888", "address.city", "a-field-with-a-name-past-23-bytes"]
    /// Pieces are copied in other ways from 8, 17, 33 and 65 bytes on; a piece is a value and its stamp.
    private static let lengthMax = 70
    private static let origins = ["a", "b", "the-name-of-an-origin-past-23-bytes"]

    /// A record that was written over, as it was and as it is. Owns a count of the record.
    @safe private struct Written {
        let record: UnmanagedRecord
        let before: [UInt8]
        let after: [UInt8]
        let places: [Int]
        /// The lengths of the texts that were written.
        let lengths: [Int]
        var entry: UndoLog.Entry
    }

    @Test func `a record that was written over is made again as it was, also from a copied log`() throws {
        var lengths: Set<Int> = []
        forEachSeed(3_000, from: 5_000_000) { _, generator in
            var plan = MergePlan()
            var log = UndoLog()
            defer { log.deallocate() }
            // The memory of a log serves for the next ones.
            for _ in 0..<2 {
                var all: [Written] = []
                defer { for written in all { unsafe written.record.release() } }
                for number in 0..<Int.random(in: 1...6, using: &generator) {
                    if let written = try Self.write("model-\(number)", &log, &plan, &generator) { all.append(written) }
                }
                for written in all { lengths.formUnion(written.lengths) }
                try Self.check(all, log)
                var copy = UndoLog()
                defer { copy.deallocate() }
                for index in all.indices.shuffled(using: &generator) {
                    all[index].entry = copy.append(all[index].entry, of: log)
                }
                try demand(copy.append(.none, of: log) == .none, "nothing is copied as something")
                log.removeAll(keepingUpTo: Bool.random(using: &generator) ? 0 : 1 << 20)
                try Self.check(all, copy)
            }
        }
        let missing = Set(0...Self.lengthMax).subtracting(lengths)
        #expect(missing.isEmpty, "no text of these lengths was written over: \(missing.sorted())")
    }

    private static func check(_ all: [Written], _ log: UndoLog) throws {
        for written in all {
            let restored = unsafe log.restored(written.record, written.entry)
            try demand(restored.array == written.before, "it is\n\(restored.array)\nnot\n\(written.before)")
            let decoded = try CellRecord(bytes: written.before)
            try demand(restored == decoded && restored.idHash == decoded.idHash, "decoded it is another record")
            try demand(restored.exists && restored.storage.places == written.places, "the header differs")
            let now = unsafe written.record.lend { $0.array }
            try demand(now == written.after, "the record itself has changed")
        }
    }

    /// Makes a record, and writes an update over it if its size stays.
    private static func write(
        _ id: String, _ log: inout UndoLog, _ plan: inout MergePlan, _ generator: inout SeededGenerator
    ) throws -> Written? {
        var stamp = UpdateMix.one(of: [1, 200, 65_000, 1 << 60] as [UInt64], &generator)
        func version(_ generator: inout SeededGenerator) -> Version {
            stamp += .random(in: 1...3, using: &generator)
            return Version(stamp: stamp, origin: UpdateMix.one(of: Self.origins, &generator))
        }
        // A record is only written over where its texts stay as long as they are.
        let long = Int.random(in: 300...600, using: &generator)
        var lengths = Dictionary(
            uniqueKeysWithValues: names.map { ($0, Int.random(in: 0...Self.lengthMax, using: &generator)) })
        lengths["b"] = UpdateMix.one(of: [long, 1], &generator)
        func fields(_ names: some Sequence<String>, _ generator: inout SeededGenerator) -> Fields {
            var fields = Fields()
            for name in names {
                let isResized = Int.random(in: 0..<40, using: &generator) == 0
                let length = isResized ? 2 : lengths[name] ?? 0
                let digits = (0..<length).map { _ in UInt8.random(in: 48...57, using: &generator) }
                fields[name] = .text(String(decoding: digits, as: UTF8.self))
            }
            return fields
        }
        let first = EncodedUpdate(.merge, version(&generator), id: id, fields(names, &generator))
        guard var record = first.apply(to: nil, plan: &plan).record else { return nil }
        // Cells of several versions.
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let some = names.shuffled(using: &generator).prefix(.random(in: 1...4, using: &generator))
            let update = EncodedUpdate(.merge, version(&generator), id: id, fields(some, &generator))
            record = update.apply(to: record, plan: &plan).record ?? record
        }
        let (before, places) = (record.array, record.storage.places)
        let some = names.shuffled(using: &generator).prefix(.random(in: 0...6, using: &generator))
        let update = EncodedUpdate(.merge, version(&generator), id: id, fields(some, &generator))
        let after = update.apply(to: record, plan: &plan).record?.array
        var unmanaged = unsafe UnmanagedRecord(consume record)
        let entry = unsafe update.overwrite(&unmanaged, &plan, &log)
        guard let entry, let after else {
            unsafe unmanaged.release()
            return nil
        }
        return unsafe Written(
            record: unmanaged, before: before, after: after, places: places, lengths: some.compactMap { lengths[$0] },
            entry: entry)
    }

    @Test func `a record that somebody else has is not written over`() throws {
        var plan = MergePlan()
        var log = UndoLog()
        defer { log.deallocate() }
        let first = EncodedUpdate(.merge, Version(stamp: 1 << 40, origin: "a"), ["age": 1])
        let record = try #require(first.apply(to: nil, plan: &plan).record)
        let update = EncodedUpdate(.merge, Version(stamp: 1 << 41, origin: "a"), ["age": 2])
        var unmanaged = unsafe UnmanagedRecord(record)
        defer { unsafe unmanaged.release() }
        let entry = unsafe update.overwrite(&unmanaged, &plan, &log)
        #expect(entry == nil)
        #expect(record["age"] == 1)
    }
}

extension EncodedUpdate {
    /// Writes the update over the record, where that can be.
    fileprivate func overwrite(
        _ record: inout UnmanagedRecord, _ plan: inout MergePlan, _ log: inout UndoLog
    ) -> UndoLog.Entry? {
        let batch = UpdateBatchView(
            bytes: bytes.span, slices: slices.span, origin: origin.span, originHash: Fingerprint.fnv(origin.span))
        let update = batch.update(at: 0)
        var merge = unsafe record.prepare(update, plan: &plan, keepingEqual: false)
        guard unsafe merge.isPrepared, plan.keepsSize else {
            if unsafe merge.isPrepared { unsafe record.finish(&merge, update, plan: &plan) }
            unsafe merge.record?.release()
            return nil
        }
        guard let room = log.reserve(for: plan) else { return nil }
        return unsafe record.overwrite(update, plan, keepingIn: &log, room)
    }
}
