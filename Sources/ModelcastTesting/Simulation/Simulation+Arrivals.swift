import ModelSync
import ModelWire

/// What a machine has said of the batches that came: how it is seen that none is applied twice, by whatever way each
/// comes (a stream, a replay, a push, the disk) and whether it stands alone or is a part of a transaction.
struct Arrivals: Equatable {
    /// Batches that were here before, that lie in the future, are too old, broken, or were not asked for.
    let refused: UInt64
    /// Batches of earlier starts: merged, and not tracked.
    let older: UInt64
    let pushed: UInt64
}

extension Simulation {
    func arrivals(_ node: SimulatedNode) -> Arrivals {
        guard let counters = node.replica?.counters else { return Arrivals(refused: 0, older: 0, pushed: 0) }
        let refused =
            counters[.duplicateBatches] + counters[.clockRejectedBatches] + counters[.expiredBatches]
            + counters[.malformedFrames] + counters[.unaskedReplies] + counters[.refusedStreams]
        return Arrivals(
            refused: refused, older: counters[.olderIncarnationBatches], pushed: counters[.pushedBatches])
    }

    /// A batch has come by a stream or a replay, or was pushed.
    /// - Parameter before: what the machine had said when it had not come yet.
    func noteArrival(
        _ payload: [UInt8], topic: [UInt8], _ node: SimulatedNode, isPushed: Bool = false, since before: Arrivals
    ) {
        guard node.prefixes.contains(where: { Topic(bytes: topic).overlaps($0) }),
            let batch = PlainItem(payload).flatMap({ BatchFacts($0) })
        else { return }
        let after = arrivals(node)
        guard isPushed ? after.pushed > before.pushed : after.refused == before.refused else { return }
        node.watch.acceptedCount += 1
        tell(node, "takes \(Topic(bytes: topic)) #\(batch.sequence) of \(batch.origin), \(batch.stamp >> 16)")
        guard after.older == before.older || settings.sabotage == .dedupe else { return }
        if let fault = node.watch.apply(batch, topic: topic) { fail(node, fault) }
    }

    /// A relay goes on with pushed batches of its disk; those that its records hold already it passes over.
    /// Where somebody lies its records may hold less than they say.
    func noteRestored(_ node: SimulatedNode) {
        node.watch.acceptedCount += UInt64(hasLiar ? node.disk.pushes.count : node.disk.unrecordedCount)
    }

    /// No more batches are applied than were accepted: a part of a transaction that was held is applied once.
    func checkAppliedCount(_ node: SimulatedNode) {
        guard let applied = node.replica?.counters[.appliedBatches], applied > node.watch.acceptedCount else { return }
        fail(node, "\(applied) batches were applied of \(node.watch.acceptedCount) that were accepted")
    }

    /// The batch that a reply of a replay carries.
    static func replayed(_ reply: [UInt8]) -> (topic: [UInt8], payload: [UInt8])? {
        guard let items = PlainItem(reply)?.children, items.count == 4, items[0].text == "frame" else { return nil }
        return (items[2].content(of: reply), items[3].content(of: reply))
    }
}
