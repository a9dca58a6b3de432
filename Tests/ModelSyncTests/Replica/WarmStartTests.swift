@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelWire
import Testing

@testable import ModelSync

/// A replica that goes on from a stored state.
@Suite struct WarmStartTests {
    /// A mesh whose replica has run, and a second run of it from the state that the first left behind.
    /// - Parameter holdsMore: the change adds something to the state that no sender has.
    private func restarted(holdsMore: Bool = false, _ change: (inout Mesh) throws -> Void) throws -> Mesh {
        var mesh = try Mesh(relays: 1, origins: 2)
        try mesh.connect()
        for id in 0..<50 { try mesh.write(id % 2, id % 4 < 2 ? "User" : "Order", "\(id)", ["n": 1]) }
        mesh.pass(milliseconds: 600)
        let positions = mesh.replica.streamStatus(now: mesh.now).map {
            StreamPosition(
                origin: $0.origin, topic: $0.topic, incarnation: $0.incarnation, applied: $0.applied)
        }
        let replica = Replica(
            configuration: mesh.replica.configuration, cache: mesh.replica.cache, now: mesh.now, seed: 2,
            lastAlive: mesh.now.wallMilliseconds)
        try change(&mesh)
        replica.restore(positions, now: mesh.now)
        mesh.restart(replica)
        mesh.relays[0].requests = []
        replica.connected(mesh.senders[0], now: mesh.now)
        mesh.exchange()
        mesh.pass(milliseconds: 1_500)
        #expect(mesh.isEqual(to: 0) == !holdsMore)
        #expect(replica.state(of: mesh.senders[0]) == .live)
        return mesh
    }

    private func snapshots(_ mesh: Mesh) -> [[Topic]] {
        mesh.relays[0].requests.compactMap { request in
            guard case .snapshot(_, let prefixes, _) = request else { return nil }
            return prefixes
        }
    }

    @Test func `where nothing has changed nothing travels`() throws {
        let mesh = try restarted { _ in }
        #expect(snapshots(mesh).isEmpty)
        #expect(mesh.replica.counters[.replaysRequested] == 0)
    }

    @Test func `what came since the state was stored is replayed`() throws {
        let mesh = try restarted { mesh in
            for id in 0..<10 { try mesh.write(id % 2, "User", "new-\(id)", ["n": 2], via: []) }
        }
        #expect(snapshots(mesh).isEmpty)
        #expect(mesh.replica.counters[.replayedBatches] == 10)
    }

    @Test func `a topic that is new, or cannot be replayed, is taken whole, and no other`() throws {
        let mesh = try restarted { mesh in
            try mesh.write(0, "Team", "1", ["n": 2], via: [])
            try mesh.write(0, "Order", "new", ["n": 2], via: [])
            mesh.relays[0].ring = [:]
        }
        #expect(Set(snapshots(mesh)) == [[.data(type: "Team")], [.data(type: "Order")]])
    }

    @Test func `what a stored state holds beyond its positions is no difference, and stays`() throws {
        var mesh = try restarted(holdsMore: true) { mesh in
            // It came beyond a hole, and the relay has not got it.
            var writer = BatchWriter()
            try writer.append(.merge, stamp: (1_800_000_000_000 << 16) + (1 << 18), id: "beyond", fields: ["n": 3])
            let frame = writer.finish(origin: "origin-0", incarnation: 1, sequence: 1)
            var decoder = BatchDecoder()
            try decoder.decode(frame.span)
            mesh.replica.cache.commit(decoder.batch(in: frame.span), type: "User")
            try mesh.write(1, "Order", "new", ["n": 2], via: [])
        }
        mesh.pass(milliseconds: 20_000)
        #expect(mesh.replica.cache["User", "beyond"] != nil)
        #expect(mesh.replica.counters[.renewals] == 0)
        #expect(mesh.replica.counters[.irreparableDifferences] == 0)
        // What the relay has more is taken all the same.
        #expect(mesh.replica.cache["Order", "new"] != nil)
    }
    @Test func `an origin is told the last stamps that the restored state has of it`() throws {
        var mesh = try restarted { _ in }
        let last = mesh.origins[1].lastStamp
        mesh.relays[0].requests = []
        mesh.pass(milliseconds: 2_000)
        let stamps = mesh.relays[0].requests.flatMap { request in
            guard case .report(_, let report) = request else { return [] as [Stamp] }
            return report.applied.filter { $0.origin == "origin-1" }.map(\.stamp)
        }
        #expect(Set(stamps) == [last])
    }
}
