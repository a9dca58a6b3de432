import ModelRecord
import ModelSync
import ModelWire
import ModelcastTesting
import TestSupport
import Testing

/// Origins and replicas on a bad network of memory: at rest every replica equals what was published.
@Suite struct ConvergenceTests {
    @Test func `replicas equal their origins at rest, whatever the network did`() {
        var losses = 0
        var holes: UInt64 = 0
        forEachSeed(10_000) { seed, generator in
            var run = try RandomRun(seed: seed, generator: &generator)
            try run.play(using: &generator)
            losses += run.simulation.lostCount
            holes += run.simulation.replicas.reduce(0) { $0 + $1.counters[.holesFound] }
            let isSettled = run.simulation.settle()
            try #require(isSettled, "not live again within a minute")
            try #require(run.simulation.differences() == [])
        }
        // A property over networks that never failed would prove nothing.
        #expect(losses > 0)
        #expect(holes > 0)
    }

    @Test func `on a good network no hole is ever found and no snapshot is asked for twice`() {
        forEachSeed(300) { seed, generator in
            var run = try RandomRun(seed: seed, conditions: .good, generator: &generator)
            try run.play(using: &generator)
            let isSettled = run.simulation.settle()
            try #require(isSettled)
            try #require(run.simulation.differences() == [])
            for replica in run.simulation.replicas {
                try #require(replica.counters[.holesFound] == 0)
                try #require(replica.counters[.snapshotsRequested] == UInt64(run.simulation.origins.count))
                try #require(replica.counters[.malformedFrames] == 0)
            }
        }
    }
}

/// A few origins that write random models of two types while replicas listen.
struct RandomRun {
    var simulation: Simulation

    init(
        seed: UInt64, conditions: NetworkConditions? = nil, generator: inout SeededGenerator
    ) throws {
        simulation = try Simulation(
            seed: seed, origins: Int.random(in: 1...3, using: &generator),
            replicas: Int.random(in: 1...3, using: &generator),
            conditions: conditions ?? .random(using: &generator),
            partitions: [.one, .one, .sixteen].randomElement(using: &generator) ?? .one)
    }

    /// Lets random writes and random pauses alternate.
    mutating func play(using generator: inout SeededGenerator) throws {
        for _ in 0..<Int.random(in: 1...40, using: &generator) {
            let origin = Int.random(in: simulation.origins.indices, using: &generator)
            if Int.random(in: 0..<6, using: &generator) == 0 {
                let entries = try (0..<3).map { _ in try entry(using: &generator) }
                try simulation.transaction(origin: origin, entries)
            } else {
                let entry = try entry(using: &generator)
                _ = try simulation.write(origin: origin, entry)
            }
            simulation.run(milliseconds: [0, 0, 1, 20, 200].randomElement(using: &generator) ?? 0)
        }
    }

    private func entry(using generator: inout SeededGenerator) throws -> TransactionEntry {
        let write =
            [Write.merge, .merge, .merge, .replace, .assign, .delete].randomElement(using: &generator) ?? .merge
        var fields: Fields = [:]
        if write != .delete {
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let field = ["a", "b", "long_name", "address.city"].randomElement(using: &generator) ?? "a"
                fields[field] = [.null, .int(Int64.random(in: 0...5, using: &generator)), "text", [1, "x"]]
                    .randomElement(using: &generator)
            }
        }
        return TransactionEntry(
            write, type: ["User", "Order"].randomElement(using: &generator) ?? "User",
            id: "\(Int.random(in: 0...6, using: &generator))", fields: try EncodedFields(fields))
    }
}
