@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import TestSupport
import Testing

/// Transactions of several origins over the copy of what all of them have written.
@Suite struct JointWritesTests {
    /// Some origins whose clocks differ by minutes, and the copy that hears of all of them.
    private struct Joint {
        var origins: [Origin] = []
        var leads: [Int64] = []
        let copy = ModelCache()
        var milliseconds: UInt64 = 1_800_000_000_000

        init(leads: [Int64]) throws {
            self.leads = leads
            for index in leads.indices {
                let configuration = OriginConfiguration(name: "origin-\(index)", streamEndpoint: "memory")
                origins.append(try Origin(configuration: configuration, cache: ModelCache(), now: now(index)))
            }
        }

        func now(_ index: Int) -> Moment {
            Moment(
                wallMilliseconds: UInt64(Int64(milliseconds) + leads[index]),
                uptimeMicroseconds: (milliseconds - 1_700_000_000_000) * 1000)
        }

        mutating func transaction(_ index: Int, _ writes: WriteBatch) throws -> PublishOutcome {
            milliseconds += 1
            return try origins[index].transaction(writes, over: copy.snapshot(), now: now(index))
        }

        /// Brings what an origin has written to the copy.
        func deliver(_ index: Int) {
            for type in origins[index].cache.types {
                origins[index].cache.snapshot().forEach(type: type, includingTombstones: true) { record in
                    _ = copy.commit { $0.join(record, type: type) }
                    return true
                }
            }
        }
    }

    private static func writes(_ write: Write, _ id: String, _ fields: Fields) throws -> WriteBatch {
        var writes = WriteBatch(limits: .default)
        try writes.append(write, type: "User", id: id, fields: fields)
        return writes
    }

    @Test func `what another has changed since is changed back, also by one whose clock is behind`() throws {
        var joint = try Joint(leads: [0, -120_000])
        for (index, name) in [(1, "Bob"), (0, "Ann"), (1, "Bob"), (0, "Ann")] {
            let outcome = try joint.transaction(
                index, JointWritesTests.writes(.merge, "1", ["name": .text(name)]))
            #expect(outcome != .unchanged)
            joint.deliver(index)
            #expect(joint.copy["User", "1"]?["name"] == .text(name))
        }
        let again = try joint.transaction(1, JointWritesTests.writes(.merge, "1", ["name": "Ann"]))
        #expect(again == .unchanged)
    }

    @Test func `a clock that is too far ahead is not followed`() throws {
        var joint = try Joint(leads: [0])
        var batch = BatchWriter()
        let day: UInt64 = 24 * 3_600_000
        try batch.append(.merge, stamp: (joint.milliseconds + day) << 16, id: "1", fields: ["name": "Ann"])
        try joint.copy.commit(batch, type: "User")
        _ = try joint.transaction(0, JointWritesTests.writes(.merge, "1", ["name": "Bob"]))
        #expect(joint.origins[0].clockLead(now: joint.now(0)) < .seconds(1))
    }

    @Test func `writers that hear of each other write as one does`() {
        forEachSeed(1_000) { _, generator in
            var joint = try Joint(leads: [0, -200_000, 100_000])
            var expected: [String: [String: Value]] = [:]
            for _ in 0..<40 {
                let index = Int.random(in: 0..<3, using: &generator)
                var writes = WriteBatch(limits: .default)
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let (id, write) = (
                        ["1", "2"].randomElement(using: &generator) ?? "",
                        [Write.merge, .merge, .replace, .assign, .delete].randomElement(using: &generator) ?? .merge
                    )
                    var fields: Fields = [:]
                    for name in ["a", "b", "c"] where Bool.random(using: &generator) && write != .delete {
                        fields[name] = [.int(1), .int(2), .null].randomElement(using: &generator)
                    }
                    try writes.append(write, type: "User", id: id, fields: fields)
                    let values = Dictionary(uniqueKeysWithValues: fields.pairs.map { ($0.field, $0.value) })
                    switch write {
                    case .merge: expected[id, default: [:]].merge(values) { $1 }
                    case .replace, .assign: expected[id] = values
                    case .delete: expected[id] = nil
                    }
                }
                _ = try joint.transaction(index, writes)
                joint.deliver(index)
                for id in ["1", "2"] {
                    let found = joint.copy["User", id]?.values
                    guard found == expected[id] else {
                        throw CaseFailure("\(id) is \(found ?? [:]) instead of \(expected[id] ?? [:])")
                    }
                }
            }
        }
    }

    @Test func `what has not come back yet counts as written`() throws {
        var joint = try Joint(leads: [0, 0])
        _ = try joint.transaction(1, JointWritesTests.writes(.merge, "1", ["name": "Ann", "age": 3]))
        joint.deliver(1)
        _ = try joint.transaction(0, JointWritesTests.writes(.replace, "1", ["name": "Bob"]))
        // Not delivered: the copy still says Ann.
        let same = try joint.transaction(0, JointWritesTests.writes(.replace, "1", ["name": "Bob"]))
        #expect(same == .unchanged)
        let back = try joint.transaction(0, JointWritesTests.writes(.merge, "1", ["name": "Ann"]))
        #expect(back != .unchanged)
        joint.deliver(0)
        #expect(joint.copy["User", "1"]?.values == ["name": "Ann"])
    }
}
