import ModelSync
import ModelWire

/// A machine's counters of the batches that came to it, read before and after one comes.
///
/// The difference tells whether the machine has accepted the batch. So the checker finds a batch that is applied twice,
/// by whatever way it comes (a stream, a replay, a push, the disk), alone or as a part of a transaction.
struct Arrivals: Equatable {
    /// Batches that were refused: duplicates, batches of the future, too old, malformed or not asked for, and those of
    /// refused streams.
    let refused: UInt64
    /// Batches of an origin's earlier starts: they are merged, and their sequences are not tracked.
    let older: UInt64
    let pushed: UInt64
}

extension Simulation {
    func arrivals(_ node: SimulatedNode) -> Arrivals {
        guard let counters = node.replica?.counters else { return Arrivals(refused: 0, older: 0, pushed: 0) }
        let refused =
            counters[.duplicateBatches] + counters[.clockRejectedBatches] + counters[.expiredBatches]
            + counters[.malformedFrames] + counters[.unaskedReplies] + counters[.refusedStreams]
            + counters[.deniedMessages] + counters[.unsignedBatches] + counters[.forgedBatches]
        return Arrivals(
            refused: refused, older: counters[.olderIncarnationBatches], pushed: counters[.pushedBatches])
    }

    /// Notes a batch that has come by a stream or a replay, or was pushed, if the machine has accepted it.
    /// - Parameter before: the machine's counters from before the batch came.
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

    /// Counts the pushed batches of a restarted relay's disk as accepted.
    ///
    /// The relay passes over most of those that its records hold, by the positions on the disk. With a liar about,
    /// positions may claim more than the records hold, so all are counted then.
    func noteRestored(_ node: SimulatedNode) {
        node.watch.acceptedCount += UInt64(hasLiar ? node.disk.pushes.count : node.disk.mergeableCount)
    }

    /// Checks that no more batches were applied than accepted: a part of a transaction that was held is applied once.
    func checkAppliedCount(_ node: SimulatedNode) {
        guard let applied = node.replica?.counters[.appliedBatches], applied > node.watch.acceptedCount else { return }
        fail(node, "\(applied) batches were applied of \(node.watch.acceptedCount) that were accepted")
    }

    /// The batch that a reply of a replay carries; nil for other replies.
    static func replayed(_ reply: [UInt8]) -> (topic: [UInt8], payload: [UInt8])? {
        guard let items = PlainItem(reply)?.children, items.count == 4, items[0].text == "frame" else { return nil }
        return (items[2].content(of: reply), items[3].content(of: reply))
    }
}
