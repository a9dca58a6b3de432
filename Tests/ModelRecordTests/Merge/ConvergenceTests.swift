@_spi(RecordWriting) import ModelRecord
import TestSupport
import Testing

/// Random sets of updates in many orders, against the reference model after every single step.
struct ConvergenceTests {
    @Test func `every order, doubling and splitting of updates gives the state of the reference`() {
        forEachSeed(100_000) { _, generator in
            let mix = UpdateMix(&generator)
            var straight = Pairing(ids: mix.ids)
            for step in mix.steps { try straight.apply(step) }

            var shuffled = Pairing(ids: mix.ids)
            for step in mix.steps.shuffled(using: &generator) { try shuffled.apply(step) }
            try demandEqual(shuffled, straight, "shuffled")

            var doubled = Pairing(ids: mix.ids)
            for step in (mix.steps + mix.steps).shuffled(using: &generator) { try doubled.apply(step) }
            try demandEqual(doubled, straight, "doubled")

            var joined = try joinedGroups(mix, &generator)
            try demandEqual(joined, straight, "joined")

            // Live updates and snapshots mixed: everything that was said is said again, in any order.
            for step in mix.steps.shuffled(using: &generator) { try joined.apply(step) }
            try joined.join(shuffled)
            try demandEqual(joined, straight, "said again")
        }
    }

    @Test func `the join is commutative, associative and idempotent`() {
        forEachSeed(100_000, from: 1_000_000) { _, generator in
            let mix = UpdateMix(&generator, updates: 3...9)
            let groups = try dealt(mix, into: 3, &generator)

            let oneTwo = try joined(groups[0], groups[1])
            try demandEqual(try joined(groups[1], groups[0]), oneTwo, "commutative")

            let twoThree = try joined(groups[1], groups[2])
            let all = try joined(oneTwo, groups[2])
            try demandEqual(try joined(groups[0], twoThree), all, "associative")

            for part in groups + [oneTwo, twoThree, all] {
                let again = try joined(all, part)
                try demandEqual(again, all, "idempotent")
            }
        }
    }

    @Test func `the parts of its origins join to the record, and alone each is a record of that origin`() {
        forEachSeed(20_000, from: 2_000_000) { _, generator in
            let mix = UpdateMix(&generator)
            var pairing = Pairing(ids: mix.ids)
            for step in mix.steps { try pairing.apply(step) }
            var plan = MergePlan()
            for record in pairing.records.compactMap(\.self) {
                let versions = [record.floor, record.touched].compactMap(\.self) + record.cells.map(\.version)
                var sum = Model()
                for origin in Set(versions.map(\.origin)) {
                    guard let part = record.part(of: origin, plan: &plan) else { continue }
                    let own = [part.floor, part.touched].compactMap(\.self) + part.cells.map(\.version)
                    try demand(own.allSatisfy { $0.origin == origin }, "\(part) holds what \(origin) has not written")
                    try demand(try CellRecord(bytes: part.array) == part, "\(part) does not survive the wire")
                    sum.join(part)
                    var whole = Model()
                    whole.join(record)
                    whole.join(part)
                    try demand(whole.record == record, "\(part) changes what it is a part of")
                    let earliest = versions.map(\.stamp).randomElement(using: &generator) ?? 0
                    guard let late = record.part(of: origin, since: earliest, plan: &plan) else { continue }
                    let lateVersions = [late.floor, late.touched].compactMap(\.self) + late.cells.map(\.version)
                    try demand(lateVersions.allSatisfy { $0.stamp >= earliest }, "\(late) holds what is earlier")
                    try demand(
                        late.cells == part.cells.filter { $0.version.stamp >= earliest }, "\(late) lacks a cell")
                    whole.join(late)
                    try demand(whole.record == record, "\(late) changes what it is a part of")
                }
                if record.exists { try demand(sum.record == record, "the parts come to \(sum), not \(record)") }
            }
        }
    }

    @Test func `removed fields that one copy forgets before another change nothing that readers or digests see`() {
        forEachSeed(20_000, from: 3_000_000) { _, generator in
            let mix = UpdateMix(&generator)
            var straight = Pairing(ids: mix.ids)
            for step in mix.steps { try straight.apply(step) }
            // The condition of section 2: of what is older than the horizon nothing is on its way any more.
            let horizon = mix.steps.randomElement(using: &generator)?.update.version.stamp ?? 0
            let old = mix.steps.filter { $0.update.version.stamp < horizon }
            let new = mix.steps.filter { $0.update.version.stamp >= horizon }
            var copies = try (0..<3).map { _ in
                var copy = Pairing(ids: mix.ids)
                for step in old.shuffled(using: &generator) { try copy.apply(step) }
                return copy
            }
            for index in copies.indices {
                for step in new.shuffled(using: &generator) {
                    if Bool.random(using: &generator) { try copies[index].forget(olderThan: horizon) }
                    try copies[index].apply(step)
                    // A copy that remembers tells it again.
                    if Bool.random(using: &generator), let other = copies.randomElement(using: &generator) {
                        try copies[index].join(other)
                    }
                }
            }
            for copy in copies { try demand(copy.seen == straight.seen, "\(copy.seen), not \(straight.seen)") }
            try straight.forget(olderThan: horizon)
            for index in copies.indices {
                try copies[index].forget(olderThan: horizon)
                try demandEqual(copies[index], straight, "forgotten")
            }
        }
    }

    @Test func `a batch of several updates lends each as it was written`() {
        let updates = [
            EncodedUpdate(.merge, 7.by("a"), id: "one", ["f": 1]), EncodedUpdate(.delete, 7.by("a"), id: "two"),
        ]
        let bytes = updates.flatMap(\.bytes)
        let second = updates[0].bytes.count
        let slices = [
            updates[0].slices[0],
            UpdateSlice(
                operation: .delete, stamp: 8, idHash: Fingerprint.fnv("two"), id: second..<(second + 3),
                fields: bytes.count..<bytes.count, fieldCount: 0),
        ]
        let origin = Array("a".utf8)
        let batch = UpdateBatchView(
            bytes: bytes.span, slices: slices.span, origin: origin.span, originHash: Fingerprint.fnv("a"))
        #expect(batch.count == 2)
        let secondID = batch.id(at: 1).array
        #expect(secondID == Array("two".utf8))
        var plan = MergePlan()
        let first = CellRecord.applying(batch.update(at: 0), to: nil, plan: &plan).record
        #expect(first?["f"] == 1)
        #expect(first?.touched == 7.by("a"))
        let last = CellRecord.applying(batch.update(at: 1), to: nil, plan: &plan).record
        #expect(last?.id == "two")
        #expect(last?.floor == 8.by("a"))
    }

    /// Deals the updates into groups that are merged each on their own, then joins the groups in any order.
    private func joinedGroups(_ mix: UpdateMix, _ generator: inout SeededGenerator) throws -> Pairing {
        var groups = try dealt(mix, into: Int.random(in: 2...4, using: &generator), &generator)
        while groups.count > 1 {
            groups.shuffle(using: &generator)
            var target = groups.removeLast()
            try target.join(groups.removeLast())
            if Bool.random(using: &generator) { try target.roundTrip() }
            groups.append(target)
        }
        return groups[0]
    }

    private func dealt(
        _ mix: UpdateMix, into count: Int, _ generator: inout SeededGenerator
    ) throws -> [Pairing] {
        var groups = (0..<count).map { _ in Pairing(ids: mix.ids) }
        for step in mix.steps.shuffled(using: &generator) {
            let group = Int.random(in: 0..<count, using: &generator)
            try groups[group].apply(step)
            if Int.random(in: 0..<4, using: &generator) == 0 { try groups[group].roundTrip() }
        }
        return groups
    }

    private func joined(_ left: Pairing, _ right: Pairing) throws -> Pairing {
        var result = left
        try result.join(right)
        return result
    }

    private func demandEqual(_ left: Pairing, _ right: Pairing, _ order: String) throws {
        try demand(left.states == right.states, "\(order): the reference does not converge: section 2 is wrong")
        try demand(left.records == right.records, "\(order): the records differ")
    }
}
