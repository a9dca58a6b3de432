import ModelCache
import ModelRecord
import ModelSync
import ModelWire
import Testing

/// A replica that goes on from a stored state.
@Suite struct WarmStartTests {
    /// A mesh whose replica has run, and a second run of it from the state that the first left behind.
    private func restarted(_ change: (inout Mesh) throws -> Void) throws -> Mesh {
        var mesh = try Mesh(relays: 1, origins: 2)
        try mesh.connect()
        for id in 0..<50 { try mesh.write(id % 2, id % 4 < 2 ? "User" : "Order", "\(id)", ["n": 1]) }
        mesh.pass(milliseconds: 600)
        let positions = mesh.replica.streamStatus(now: mesh.now).map {
            StreamPosition(
                origin: $0.origin, topic: $0.topic, incarnation: $0.incarnation, applied: $0.applied)
        }
        let replica = Replica(
            configuration: mesh.replica.configuration, cache: mesh.replica.cache, seed: 2,
            lastAlive: mesh.now.wallMilliseconds)
        try change(&mesh)
        replica.restore(positions, now: mesh.now)
        mesh.restart(replica)
        mesh.relays[0].requests = []
        replica.connected(mesh.senders[0], now: mesh.now)
        mesh.exchange()
        mesh.pass(milliseconds: 1_500)
        #expect(mesh.isEqual(to: 0))
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
}
