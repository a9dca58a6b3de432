import ModelCBOR
@_spi(RecordWriting) import ModelRecord
import TestSupport
import Testing

/// What bounds one model: so many fields, the newest of them.
struct NewestCellsTests {
    private func update(_ stamp: Int, by origin: String, _ fields: Range<Int>, _ value: Int) -> EncodedUpdate {
        var content: Fields = [:]
        for field in fields { content["f\(field)"] = .int(Int64(value)) }
        return EncodedUpdate(.merge, stamp.by(origin), content)
    }

    /// Several origins write far more fields than a model keeps, some of them again, some in one stamp.
    private func updates(_ generator: inout SeededGenerator) -> [EncodedUpdate] {
        var updates: [EncodedUpdate] = []
        for number in 0..<12 {
            let first = Int.random(in: 0..<8_000, using: &generator)
            let stamp = Int.random(in: 10...16, using: &generator)
            let count = Int.random(in: 300...1_024, using: &generator)
            updates.append(update(stamp, by: "o\(number)", first..<(first + count), number))
        }
        if Bool.random(using: &generator) {
            updates.append(EncodedUpdate(.replace, Int.random(in: 8...13, using: &generator).by("r"), ["x": 1]))
        }
        return updates
    }

    private func merged(_ updates: [EncodedUpdate]) -> Model {
        var model = Model()
        for update in updates { model.apply(update) }
        return model
    }

    @Test func `a model keeps its newest fields, the same in every order of updates and states`() throws {
        forEachSeed(12) { _, generator in
            let updates = updates(&generator)
            let straight = try #require(merged(updates).record)
            #expect(straight.cellCount <= CellRecord.cellCountMax)
            let shuffled = try #require(merged(updates.shuffled(using: &generator)).record)
            #expect(shuffled == straight)
            // As a late replica gets it: states of others, each of which has left something out, then the rest.
            let middle = Int.random(in: 1..<updates.count, using: &generator)
            var late = merged(Array(updates[middle...]))
            late.join(try #require(merged(Array(updates[..<middle])).record))
            #expect(late.record == straight)
            #expect(late.record?.digest == straight.digest)
            for update in updates.shuffled(using: &generator) { late.apply(update) }
            #expect(late.record == straight)
        }
    }

    @Test func `what is left out is counted, and the digest follows`() throws {
        var plan = MergePlan()
        var record: CellRecord?
        var digest: UInt64 = 0
        for number in 0..<6 {
            let result = update(10 + number, by: "a", number * 1_000..<(number + 1) * 1_000, 1)
                .apply(to: record, plan: &plan)
            record = result.record ?? record
            digest &+= result.digestDelta
        }
        #expect(record?.cellCount == CellRecord.cellCountMax)
        #expect(record?.digest == digest)
        #expect(plan.takeDroppedCells() == 6_000 - CellRecord.cellCountMax)
        #expect(plan.takeDroppedCells() == 0)
        #expect(record?["f0"] == nil)
        #expect(record?["f5999"] == 1)
    }

    @Test func `an origin's own merge is refused and not cut where it makes too many fields`() throws {
        var plan = MergePlan()
        var record: CellRecord?
        for number in 0..<5 {
            let result = update(10 + number, by: "a", number * 1_000..<(number + 1) * 1_000, 1)
                .apply(to: record, plan: &plan, keepingEqual: true)
            #expect(plan.hasTooManyCells == (number == 4))
            record = result.record ?? record
        }
        #expect(plan.takeDroppedCells() == 0)
    }

    @Test func `the parts of a record join to it, each fits, and what fits nowhere is named`() throws {
        forEachSeed(200) { _, generator in
            var model = Model()
            for stamp in 1...Int.random(in: 1...6, using: &generator) {
                var fields: Fields = [:]
                for field in 0..<Int.random(in: 1...30, using: &generator) {
                    let size = Int.random(in: 0...900, using: &generator)
                    fields["f\(field)"] = .text(String(repeating: "x", count: size))
                }
                let version = stamp.by(Bool.random(using: &generator) ? "a" : "bb")
                model.apply(EncodedUpdate(stamp % 3 == 2 ? .replace : .merge, version, fields))
            }
            let record = try #require(model.record)
            let room = Int.random(in: 400...1_400, using: &generator)
            var parts = RecordParts(record)
            var list: [CellRecord] = []
            while let part = parts.next(byteCount: room / 2, byteCountMax: room) {
                #expect(part.byteCount <= room)
                #expect(parts.isAtEnd || !parts.oversized.contains { part[$0] != nil })
                list.append(try CellRecord(bytes: part.array))
            }
            #expect(parts.isAtEnd)
            let joined = try #require(CellRecord.joining(parts: list.shuffled(using: &generator)))
            let missing = Set(parts.oversized)
            #expect(joined.cells == record.cells.filter { !missing.contains($0.field) })
            #expect(joined.floor == record.floor)
            #expect(joined.touched == record.touched)
            if missing.isEmpty { #expect(joined == record) }
        }
    }
}
