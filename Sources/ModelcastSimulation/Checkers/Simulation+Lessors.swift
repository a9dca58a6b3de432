@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync

extension Simulation {
    /// Lets the first publisher that leases models die for good, and checks that whoever has to know of it shows them
    /// for no longer than their leases and the heartbeats of the relays on the way.
    func endLessor() {
        guard settings.hasLeases, failure == nil, !hasLiar,
            let lessor = nodes.first(where: { $0.kind == .publisher && $0.origin?.leasesSince != nil })
        else { return }
        crash(lessor.id)
        let heartbeats = settings.heartbeatInterval.wholeMicroseconds / 1000 * UInt64(nodes.count + 2)
        run(milliseconds: UInt64(SimulationSettings.leaseMillisecondsMax) + heartbeats + 5_000)
        for node in nodes where hasToKnow(node, ofTheEndOf: lessor, besides: []) {
            guard let copy = node.replica?.cache.snapshot(), node.replica?.watchesLeases(of: lessor.name) ?? false
            else { continue }
            for type in copy.types {
                copy.forEach(type: type) { record in
                    guard record.lease?.version.origin == lessor.name else { return true }
                    fail(node, "\(type) \(record.id) outlives \(lessor.name), which leased it and is gone")
                    return false
                }
            }
        }
    }

    /// A node on the way between the two listens to the lessor and to another. One that listens to it alone may be cut
    /// off.
    private func hasToKnow(_ node: SimulatedNode, ofTheEndOf lessor: SimulatedNode, besides seen: Set<Int>) -> Bool {
        let servers = node.listening.map { nodes[links[$0].server] }
        if servers.contains(where: { $0 === lessor }) { return servers.count > 1 }
        return servers.contains { server in
            server.kind == .relay && !seen.contains(server.index)
                && hasToKnow(server, ofTheEndOf: lessor, besides: seen.union([node.index]))
        }
    }
}
