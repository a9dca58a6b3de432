import ModelRecord
import ModelSync
import ModelWire
import Testing

/// Replicas that know nothing of each other and have the same to ask, each on a wire of its own.
@Suite struct JitterTests {
    private static let replicaCount = 300

    /// When each has asked, in milliseconds after its reason to ask came.
    private func times(
        _ prepare: (inout Wire) throws -> Void, until hasAsked: (Wire) -> Bool
    ) throws -> [Int] {
        try (1...JitterTests.replicaCount).map { seed in
            var wire = try Wire(repairJitterMax: .milliseconds(500), seed: UInt64(seed))
            try wire.becomeLive()
            try prepare(&wire)
            for milliseconds in 0...1_000 {
                wire.replica.tick(now: wire.now)
                try wire.exchange()
                if hasAsked(wire) { return milliseconds }
                wire.time += 1_000
            }
            throw CaseError("seed \(seed): nothing was asked for")
        }
    }

    private func countMax(_ times: [Int]) -> Int { Dictionary(grouping: times) { $0 }.values.map(\.count).max() ?? 0 }

    @Test func `replicas that all miss the same batch ask soon, and not in the same millisecond`() throws {
        let times = try times { wire in
            for id in 0..<3 {
                try wire.write("User", "\(id)", ["age": 1])
                wire.flush()
            }
            wire.stream.remove(at: 1)
            wire.deliverAll()
        } until: {
            !$0.replayed.isEmpty
        }
        // The grace, and a twentieth of the jitter.
        #expect(times.allSatisfy { (50...76).contains($0) })
        #expect(Set(times).count >= 20)
        #expect(countMax(times) < JitterTests.replicaCount / 6)
    }

    @Test func `replicas that all learn of a later start spread their snapshots over half a second`() throws {
        let times = try times { wire in
            wire.origin = try Wire.makeOrigin(after: wire.origin.incarnation &+ (1 << 20))
            try wire.write("User", "new", ["age": 1])
            wire.flush()
            wire.deliverAll()
        } until: {
            $0.snapshotCount == 2
        }
        #expect(times.allSatisfy { $0 <= 501 })
        #expect(Set(times).count >= 100)
        #expect(countMax(times) < JitterTests.replicaCount / 20)
        let mean = times.reduce(0, +) / times.count
        #expect((200...300).contains(mean))
    }

    @Test func `where no replay is held the snapshots are spread as well`() throws {
        let times = try times { wire in
            wire.answer = { request, _ in
                guard case .replay(let rid, _, _, _, _, _) = request else { return nil }
                return [.gone(rid: rid, oldest: 9)]
            }
            for id in 0..<3 {
                try wire.write("User", "\(id)", ["age": 1])
                wire.flush()
            }
            wire.stream.remove(at: 1)
            wire.deliverAll()
        } until: {
            $0.snapshotCount == 2
        }
        #expect(times.allSatisfy { $0 <= 577 })
        #expect(countMax(times) < JitterTests.replicaCount / 20)
    }
}
