import ModelCache
import ModelSync
import ModelWire

/// Writes of processes to their disks.
extension Simulation {
    /// For a disk that is written behind: ends a write that is due, and begins the next one when its time has come.
    func writeBehind(_ node: SimulatedNode) {
        guard node.disk.mode == .writeBehind else { return }
        finishWrite(node)
        guard !node.disk.isWriting, time >= node.nextWrite else { return }
        let delay = UInt64.random(in: 5_000...100_000, using: &generator)
        node.nextWrite = time + delay * 2
        beginWrite(node, dueAt: time + delay)
    }

    /// For a disk that is written before sending: writes the copy before anything leaves the process, be it a batch
    /// that is sent on, a report or a request.
    func writeBeforeSend(_ node: SimulatedNode) {
        guard node.disk.mode == .beforeSend else { return }
        writeNow(node)
    }

    func writeNow(_ node: SimulatedNode) {
        beginWrite(node, dueAt: time)
        finishWrite(node)
    }

    private func finishWrite(_ node: SimulatedNode) {
        node.disk.finish(at: time) { push in
            node.relay?.ring.oldest(of: push.stream).map { push.sequence >= $0 } ?? false
        }
    }

    private func beginWrite(_ node: SimulatedNode, dueAt: UInt64) {
        guard let cache = node.cache else { return }
        // Sorted, because a run must not depend on the order of a dictionary.
        let positions = (node.replica?.positions ?? []).sorted { $0.precedes($1) }
        node.disk.begin(
            cache, updateCount: oracle.updateCount(of: node.name), clock: oracle.lastStamp[node.name] ?? 0,
            positions: positions, lastContact: node.replica?.lastContact(now: moment(node)),
            forgotten: forgottenNames(node), dueAt: dueAt)
    }

    /// The origins that have positions on the disk, and that the node no longer follows.
    private func forgottenNames(_ node: SimulatedNode) -> Set<String> {
        guard let replica = node.replica, replica.counters[.forgottenNames] > 0 else { return [] }
        let wanted = node.disk.positions.filter { position in
            node.prefixes.contains { position.topic.overlaps($0) }
        }
        return Set(wanted.map(\.origin)).filter { !replica.follows($0) }
    }

    // MARK: Pushed batches

    /// Begins to write a pushed batch; writes end in the order in which they began. The relay hears of the end a little
    /// later, and a crash may come between.
    func persist(_ node: SimulatedNode, token: UInt64, _ push: SimulatedDisk.Push) {
        let durableAt = max(node.lastPersist.durable, time + UInt64.random(in: 0...20_000, using: &generator))
        let toldAt = max(node.lastPersist.told, durableAt + UInt64.random(in: 0...5_000, using: &generator))
        node.lastPersist = (durableAt, toldAt)
        let life = node.life
        let isFailing = chance(conditions.diskFailurePerMille)
        if isFailing { faults[.diskFailed] += 1 }
        events.add(
            .plan(of: node.index) { simulation in
                guard node.life == life, node.isUp, !isFailing else { return }
                node.disk.store(push, writtenMilliseconds: simulation.moment(node).wallMilliseconds)
            }, at: durableAt)
        events.add(
            .plan(of: node.index) { simulation in
                guard node.life == life, let relay = node.relay else { return }
                let now = simulation.moment(node)
                let before = simulation.arrivals(node)
                if isFailing {
                    simulation.tell(node, "cannot write #\(push.sequence) of \(push.stream.origin)")
                    relay.persistFailed(token, reason: "no space left on device", now: now)
                } else {
                    relay.persisted(token, now: now)
                    node.disk.noteMerged(push)
                    simulation.noteArrival(
                        push.payload, topic: push.stream.topic.bytes, node, isPushed: true, since: before)
                }
                simulation.settle(node)
            }, at: toldAt)
    }
}
